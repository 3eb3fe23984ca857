import { type FormRow, usdc } from './rows.ts'

const RULE_16 = 'score 1.3.0, rule 16: texts of prices in /.well-known/x402 documents of the field'
const url = '/paid'

/** Documents of sellers that ask one cent, and state it with a condition. */
const CONDITIONS: Readonly<Record<string, object>> = {
  'per 1k tokens, with a minimum': { resources: [{ url, price: '$0.002 per 1k tokens, minimum $0.003' }] },
  'a price from': { resources: [{ url, price: 'from $0.001' }] },
  'a price up to': { endpoints: { '/paid': { price: 'up to $0.05' } } },
  'a range in words': { services: [{ endpoint: '/paid', price: '$0.001 to $0.05 per call' }] },
  'a range with a dash': { resources: [{ url, price: '$0.001-$0.05' }] },
  'a range as an object': { resources: [{ url, price: { min: '$0.001', max: '$0.05' } }] },
  'a pricing mode': { resources: [{ url, price: '$0.001', pricingMode: 'dynamic' }] },
  'a price by length': { resources: [{ url, price: '$0.001/page' }] },
  'a free tier and a price': { resources: [{ url, price: '$0.01 (first 10 calls a day free)' }] },
}

const html = { 'content-type': 'text/html; charset=utf-8' }

/** Pages of bot filters that answer 200 or 503, and where each is documented. */
const PAGES: readonly [
  name: string,
  source: string,
  status: number,
  headers: Record<string, string>,
  body: string,
][] = [
  [
    'Imperva',
    'docs.imperva.com, error pages and the `_Incapsula_Resource` script',
    200,
    { ...html, 'x-iinfo': '5-1234-0 NNNN RT(1)', 'x-cdn': 'Imperva' },
    '<html><head><META NAME="robots" CONTENT="noindex,nofollow"></head><body><iframe id="main-iframe" src="/_Incapsula_Resource?SWUDNSAI=31">Request unsuccessful. Incapsula incident ID: 1234-5678</iframe></body></html>',
  ],
  [
    'Anubis',
    'TecharoHQ/anubis, web/index.templ',
    200,
    html,
    '<!doctype html><html lang="en"><head><title>Making sure you&#39;re not a bot!</title></head><body><script id="anubis_challenge" type="application/json">{"rules":{"algorithm":"fast","difficulty":4}}</script></body></html>',
  ],
  [
    'ngrok',
    'ngrok.com/docs/errors/err_ngrok_6024',
    200,
    { ...html, 'ngrok-error-code': 'ERR_NGROK_6024' },
    '<!DOCTYPE html><html><head><noscript>You are about to visit a site served for free through ngrok.com (ERR_NGROK_6024)</noscript></head><body></body></html>',
  ],
  [
    'Cloudflare, the older page',
    'developers.cloudflare.com/waf/reference/cloudflare-challenges',
    503,
    { ...html, server: 'cloudflare', 'cf-ray': '8f0a1b2c3d4e5f60-FRA' },
    '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body><script src="/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1"></script></body></html>',
  ],
]

/** Honest forms that 1.2.0 judged too harshly, and what rules 16 to 18 of 1.3.0 say of them. */
export const harshForms: readonly FormRow[] = [
  ...Object.entries(CONDITIONS).map(
    ([name, document]): FormRow => ({
      name: `a document with ${name}`,
      source: RULE_16,
      accepts: [usdc()],
      wellKnown: JSON.stringify(document),
    }),
  ),
  {
    name: 'a document that says half of what is asked',
    source: RULE_16,
    right: ['caution'],
    accepts: [usdc()],
    wellKnown: JSON.stringify({ resources: [{ url, price: '$0.005' }] }),
  },
  {
    name: 'a document that says more than is asked',
    source: RULE_16,
    accepts: [usdc()],
    wellKnown: JSON.stringify({ resources: [{ url, price: '$0.02' }] }),
  },
  ...PAGES.map(
    ([name, source, status, headers, page]): FormRow => ({
      name: `a page of the bot filter ${name}, status ${status}`,
      source,
      right: ['unknown'],
      accepts: [],
      shape: 'none',
      page: { status, headers, body: page },
    }),
  ),
  {
    name: 'a name beyond ASCII that resembles no older one',
    source: 'score 1.3.0, rule 18; RFC 5891',
    accepts: [usdc()],
    host: 'xn--bcher-kva.example',
  },
]
