import { STATUS_CODES } from 'node:http'
import type { Config } from '../../config/config.ts'
import type { ErrorPages } from '../../http/deps.ts'
import type { Refusal } from '../../lib/problemError.ts'
import { renderPage } from '../answerHtml.tsx'
import { Corrections } from '../components/corrections.tsx'
import { Layout, Search } from '../components/layout.tsx'
import { plural } from '../format.ts'
import { readHost } from '../hostName.ts'
import { listOperations } from '../operations.ts'
import { cleanText } from '../text.ts'
import { PaymentPage } from './payment.tsx'

type Deps = { readonly config: Pick<Config, 'publicUrl' | 'operator' | 'prices'> }

/** Creates the pages that browsers get for refusals and unpaid calls. */
export function createErrorPages({ config }: Deps): ErrorPages {
  return {
    refusal: (refusal, target) => renderPage(<RefusalPage config={config} {...refusal} target={target} />),
    payment: (call) => renderPage(<PaymentPage config={config} {...call} />),
  }
}

/** The page of a refusal: what happened, what to correct, where to go on. @param props.target the request target */
function RefusalPage({ target, status, detail, errors, ...props }: Deps & Refusal & { target: string }) {
  const operation = listOperations(props).find(({ path }) => path === target.split('?')[0])
  const heading = STATUS_CODES[status] ?? 'Error'
  const text = cleanText(detail, 600)
  const wait = props.retryAfterSeconds
  // The page of a host that is not known asks for it.
  const [, host = ''] = /^\/services\/([^/?]+)/.exec(target) ?? []
  return (
    <Layout {...props} title={heading} description={text} path={operation?.path ?? '/'} hasOwnSearch>
      <p class="code">{status}</p>
      <h1>{heading}</h1>
      <p class="lede">
        {text}
        {wait !== undefined &&
          ` In ${plural(Math.max(1, Math.ceil(wait)), 'second')} the same request works again.`}
      </p>
      <Corrections errors={errors} />
      <Search query={readHost(host)} isLarge />
      <p class="small">
        <a href="/">All services</a> · <a href="/feed">Incidents and changes</a> ·{' '}
        <a href={`/docs#${operation?.id ?? 'pay'}`}>API</a>
      </p>
    </Layout>
  )
}
