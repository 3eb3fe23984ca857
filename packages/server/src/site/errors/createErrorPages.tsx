import type { ErrorPages } from '../../http/deps.ts'
import { renderPage } from '../answerHtml.tsx'
import type { PageDeps } from '../pageDeps.ts'
import { PaymentPage } from './paymentPage.tsx'
import { RefusalPage } from './refusalPage.tsx'

/** Creates the pages that browsers get for refusals and unpaid calls. */
export function createErrorPages(deps: Pick<PageDeps, 'publicUrl' | 'prices'>): ErrorPages {
  return {
    refusal: (refusal, target) => renderPage(<RefusalPage deps={deps} refusal={refusal} target={target} />),
    payment: (call) => renderPage(<PaymentPage deps={deps} call={call} />),
  }
}
