import { SCAN_CHECKS, type ScanCheckId, type ScanResult } from './checks.ts'

/** Names of the stacks that have recipes. */
export const STACKS = {
  express: 'Express, @x402/express',
  hono: 'Hono, @x402/hono',
  next: 'Next.js, @x402/next',
  fastapi: 'FastAPI, x402 for Python',
  'x402-rs': 'Axum, x402-rs',
  unknown: 'any stack',
} as const

/** A stack that recipes are written for; `unknown` has those for any stack. */
export type Stack = keyof typeof STACKS

/** Marks of stacks in response headers. */
const MARKS: readonly (readonly [Stack, RegExp])[] = [
  ['next', /\bnext\.js\b/i],
  ['hono', /\bhono\b/i],
  ['x402-rs', /\bx402-(rs|axum)\b|\baxum\b/i],
  ['express', /\bexpress\b/i],
  ['fastapi', /\b(uvicorn|hypercorn|fastapi)\b/i],
]

/** Returns the stack that response headers show. @param headers names in lower case */
export function detectStack(headers: Readonly<Record<string, string>>): Stack {
  const text = ['x-powered-by', 'server', 'via'].map((name) => headers[name] ?? '').join(' ')
  if (headers['x-nextjs-cache'] !== undefined || headers['x-nextjs-matched-path'] !== undefined) return 'next'
  return MARKS.find(([, mark]) => mark.test(text))?.[0] ?? 'unknown'
}

/** Lines that a recipe adds to an offer and to its route. */
type Lines = { readonly offer?: string; readonly route?: string }
type Language = 'typescript' | 'python'

const RESOURCE = 'https://api.example.com/weather'
const DISCOVERY = `extensions: {
  ...declareDiscoveryExtension({
    input: { city: 'Paris' },
    output: { example: { temperature: 20 } },
  }),
},`
const PYTHON_DISCOVERY = `extensions=declare_discovery_extension(
    input={"city": "Paris"},
    output=OutputConfig(example={"temperature": 20}),
),`

const LINES: Partial<Record<ScanCheckId, Record<Language, Lines>>> = {
  timeout_strange: {
    typescript: { offer: 'maxTimeoutSeconds: 60,' },
    python: { offer: 'max_timeout_seconds=60,' },
  },
  resource_mismatch: {
    typescript: { route: `resource: '${RESOURCE}',` },
    python: { route: `resource="${RESOURCE}",` },
  },
  input_undeclared: { typescript: { route: DISCOVERY }, python: { route: PYTHON_DISCOVERY } },
  output_undeclared: { typescript: { route: DISCOVERY }, python: { route: PYTHON_DISCOVERY } },
  head_too_large: {
    typescript: {
      route: "extensions: { ...declareDiscoveryExtension({ input: { city: 'Paris' } }) }, // no schemas",
    },
    python: { route: 'extensions=declare_discovery_extension(input={"city": "Paris"}),  # no schemas' },
  },
}

const indent = (text: string | undefined, spaces: number) =>
  text === undefined ? '' : `\n${text.replace(/^/gm, ' '.repeat(spaces))}`

const route = ({ offer, route: more }: Lines) => `{
  accepts: {
    scheme: 'exact',
    network: 'eip155:8453',
    price: '$0.01', // a price in dollars: the library fills in USDC and its domain
    payTo: '0xYourAddress',${indent(offer, 4)}
  },${indent(more, 2)}
}`

const FRAMES: Record<Exclude<Stack, 'unknown'>, (lines: Record<Language, Lines>) => string> = {
  express: ({ typescript }) =>
    `// before body parsers and validation\napp.use(paymentMiddleware({ 'GET /weather': ${route(typescript)} }, server))`,
  hono: ({ typescript }) =>
    `// before validators\napp.use(paymentMiddleware({ 'GET /weather': ${route(typescript)} }, server))`,
  next: ({ typescript }) =>
    `// app/api/weather/route.ts\nexport const GET = withX402(handler, ${route(typescript)}, server)`,
  fastapi: ({ python: { offer, route: more } }) => `routes = {
    "GET /weather": RouteConfig(
        accepts=[
            PaymentOption(
                scheme="exact",
                network="eip155:8453",
                price="$0.01",
                pay_to="0xYourAddress",${indent(offer, 16)}
            )
        ],${indent(more, 8)}
    )
}
app.add_middleware(PaymentMiddlewareASGI, routes=routes, server=server)`,
  'x402-rs': () => `let x402 = X402Middleware::new("https://facilitator.example")
    .with_base_url("https://api.example.com".parse()?);
let app = Router::new().route(
    "/weather",
    get(handler).layer(x402.with_price_tag(V2Eip155Exact::price_tag(
        address!("0xYourAddress"),
        USDC::base().parse("0.01")?,
    ))),
);`,
}

/** Fixes that are not about the terms of a route. */
const OWN: Partial<Record<ScanCheckId, Record<Exclude<Stack, 'unknown'>, string>>> = {
  challenge_cached: {
    express:
      "app.use((request, response, next) => {\n  response.set('Cache-Control', 'no-store')\n  next()\n})",
    hono: "app.use(async (c, next) => {\n  await next()\n  c.header('Cache-Control', 'no-store')\n})",
    next: "// next.config.js\nheaders: async () => [\n  { source: '/api/:path*', headers: [{ key: 'Cache-Control', value: 'no-store' }] },\n]",
    fastapi:
      '@app.middleware("http")\nasync def no_store(request, call_next):\n    response = await call_next(request)\n    response.headers["Cache-Control"] = "no-store"\n    return response',
    'x402-rs':
      '.layer(SetResponseHeaderLayer::overriding(\n    header::CACHE_CONTROL,\n    HeaderValue::from_static("no-store"),\n))',
  },
  insecure_http: {
    express: "app.set('trust proxy', 1) // behind a proxy that ends TLS",
    hono: '// end TLS in front: Cloudflare, Caddy, nginx',
    next: '// end TLS in front: Vercel, Caddy, nginx',
    fastapi: 'uvicorn main:app --proxy-headers --forwarded-allow-ips=10.0.0.1',
    'x402-rs': 'x402.with_base_url("https://api.example.com".parse()?)',
  },
}

/** @param more fields after the offers */
const challenge = (more = '') => `HTTP/1.1 402 Payment Required
Cache-Control: no-store
PAYMENT-REQUIRED: base64 of
{
  "x402Version": 2,
  "resource": { "url": "${RESOURCE}" },
  "accepts": [
    {
      "scheme": "exact",
      "network": "eip155:8453",
      "asset": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      "amount": "10000",
      "payTo": "0xYourAddress",
      "maxTimeoutSeconds": 60,
      "extra": { "name": "USD Coin", "version": "2" }
    }
  ]${more}
}`

/** Source: x402 specification, extension `bazaar`. */
const BAZAAR = `,
  "extensions": { "bazaar": { "info": {
    "input": { "type": "http", "method": "GET", "queryParams": { "city": "Paris" } },
    "output": { "type": "json", "example": { "temperature": 20 } }
  } } }`

/** Returns code or a message that passes a check, for a stack. */
export function recipeFor(id: ScanCheckId, stack: Stack): string {
  if (stack === 'unknown') {
    return challenge(id === 'input_undeclared' || id === 'output_undeclared' ? BAZAAR : '')
  }
  return OWN[id]?.[stack] ?? FRAMES[stack](LINES[id] ?? { typescript: {}, python: {} })
}

/** A result with what to change, where the check failed. */
export type ScanFinding = ScanResult & { readonly fix?: string; readonly recipe?: string }

/** Adds to each failed check what to change, with the recipe for a stack. */
export function addFixes(results: readonly ScanResult[], stack: Stack): ScanFinding[] {
  return results.map((result) =>
    result.outcome === 'fail'
      ? { ...result, fix: SCAN_CHECKS[result.id].fix, recipe: recipeFor(result.id, stack) }
      : result,
  )
}
