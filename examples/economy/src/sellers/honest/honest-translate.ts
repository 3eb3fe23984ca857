import { readTarget } from '../../http.ts'
import { usdcTerms } from '../terms.ts'
import { createToll } from '../toll.ts'
import type { SellerSpec } from '../types.ts'

/** Moved within its origin: the listed path redirects to the current one. */
export const honestTranslate: SellerSpec = {
  id: 'honest-translate',
  character: 'honest',
  title: 'Translation of short texts',
  category: 'ai',
  method: 'GET',
  path: '/translate',
  priceUsd: '0.01',
  receiver: { index: 106, past: 'established' },
  listing: { index402: { version: 2, health: 'healthy' } },
  expected: { guard: 'pays', why: 'a redirect within one origin is honest' },
  create: ({ spec, host, facilitatorUrl, receiver }) => {
    const present = '/v2/translate'
    const toll = createToll({
      offering: { url: `http://${host}${present}`, method: spec.method, title: spec.title },
      facilitatorUrl,
      versions: [2],
      terms: () => usdcTerms(receiver, spec.priceUsd),
    })
    return {
      handle: (request, response) => {
        const { pathname, query } = readTarget(request)
        if (pathname !== spec.path) return toll(request, response)
        const location = query.size > 0 ? `${present}?${query}` : present
        response.writeHead(308, { location, 'content-length': 0 }).end()
      },
    }
  },
}
