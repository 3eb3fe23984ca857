import { SCANS_PATH } from '../paths.ts'

type ScanInputProps = {
  /** What the field holds already. */
  readonly url?: string | undefined
  /** What is wrong with it. */
  readonly fault?: string | undefined
  /** Id of the field, for a page that has two. @default scan-url */
  readonly id?: string
}

/** Asks for a scan of a URL, and says how. */
export function ScanForm(props: Omit<ScanInputProps, 'id'>) {
  return (
    <>
      <ScanInput {...props} />
      <p class="small muted">
        Free, takes about ten seconds, pays nothing, gives you a link. Or on your own machine:{' '}
        <code>npx @touchstone402/guard scan &lt;url&gt;</code>
      </p>
    </>
  )
}

/** Asks for a scan of a URL. A plain form, so it works without scripts. */
export function ScanInput({ url, fault, id = 'scan-url' }: ScanInputProps) {
  const isWrong = fault !== undefined
  return (
    <>
      <form class="search large" action={SCANS_PATH} method="post">
        <label class="hidden" for={id}>
          URL of an x402 endpoint
        </label>
        <input
          id={id}
          name="url"
          required
          inputMode="url"
          maxLength={2048}
          placeholder="https://api.example.com/v1/weather"
          autocomplete="off"
          autocapitalize="none"
          spellcheck={false}
          {...(url !== undefined && { value: url })}
          {...(isWrong && { 'aria-invalid': 'true' as const, 'aria-describedby': `${id}-fault` })}
        />
        <button type="submit">Scan</button>
      </form>
      {isWrong && (
        <div class="form">
          <p class="fault" id={`${id}-fault`} role="alert">
            {fault}
          </p>
        </div>
      )}
    </>
  )
}
