import { Panel } from '../components/panel.tsx'
import { OutLink, Snippet } from '../components/prose.tsx'
import { cleanText } from '../text.ts'

type Props = {
  readonly method: string
  readonly endpoint: string
  /** Explorer page of the receiver. @default none */
  readonly explorerUrl?: string | undefined
}

/** Returns a command that asks an endpoint for its terms, safe to paste into a shell. */
export function curlCommand(method: string, endpoint: string): string {
  const verb = /^[A-Z]{1,12}$/.test(method) && method !== 'GET' ? `-X ${method} ` : ''
  return `curl -si ${verb}${quote(cleanText(endpoint, 2048))}`
}

// A single quote ends the quoted text; everything else is literal inside.
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** How to see the same without us. */
export function CheckYourself({ method, endpoint, explorerUrl }: Props) {
  return (
    <Panel id="check" title="How to check this yourself">
      <p>
        Ask without paying. The answer is a 402: its <code>payment-required</code> header (base64) or its body
        names the receiver, the price and the network.
      </p>
      <Snippet label="Command to check" code={curlCommand(method, endpoint)} />
      <p>
        Terms that depend on the client show with another one: add <code>-A axios/1.7</code>, or ask from
        another network.
        {explorerUrl !== undefined && (
          <>
            {' Payments to the receiver are on '}
            <OutLink href={explorerUrl}>its explorer page</OutLink>.
          </>
        )}
      </p>
    </Panel>
  )
}
