import type { Observation, ReceiverRecord } from '../../facts/facts.ts'

/** Current time of the samples. */
export const SAMPLE_NOW = Date.UTC(2026, 10, 21, 10, 42)

/** Short description of a service, from which its observations are derived. */
export type Sample = {
  readonly host: string
  readonly paths: readonly string[]
  readonly method?: string
  readonly title?: string
  readonly category?: string
  readonly directories?: readonly string[]
  readonly listedUsd?: number
  /** Days since the service was first seen. */
  readonly days: number
  readonly everyHours?: number
  readonly network?: 'base' | 'sepolia'
  /** Millionths of a dollar, by age in days. */
  readonly priceMicro: number | ((daysAgo: number) => number)
  readonly payTo?: string | ((daysAgo: number) => string)
  readonly category30d?: ReceiverRecord['category']
  readonly outcome?: (daysAgo: number, index: number) => Observation['outcome']
  /** The host declines the probes that measure nothing. */
  readonly optsOut?: boolean
  /** Whether its documents cannot be read. @default false */
  readonly isUnread?: boolean
  readonly latencyMs?: number
  readonly claimedCalls?: number
}

/** Returns a valid-looking address for a seed. */
export function sampleAddress(seed: number): string {
  let state = (seed * 2654435761) >>> 0
  const digits = Array.from({ length: 40 }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state >>> 28).toString(16)
  })
  return `0x${digits.join('')}`
}

/** Services with every kind of verdict, including one with hostile texts. */
export const SAMPLES: readonly Sample[] = [
  {
    host: 'api.skycast.dev',
    paths: ['/v1/forecast', '/v1/alerts', '/v1/history/{station}'],
    title: 'Skycast weather',
    category: 'weather',
    directories: ['402index', 'bazaar'],
    days: 84,
    priceMicro: (ago) => (ago > 40 ? 4000 : 5000),
    category30d: 'established',
    outcome: (ago, index) => (ago > 51 && ago < 52.2 ? 'down' : index % 97 === 3 ? 'not_measured' : 'up'),
  },
  {
    host: 'search.lumenworks.io',
    paths: ['/query'],
    category: 'search',
    days: 61,
    priceMicro: 10_000,
    category30d: 'established',
  },
  {
    host: 'translate.polyglot.run',
    paths: ['/translate', '/detect'],
    method: 'POST',
    days: 47,
    priceMicro: 2000,
    category30d: 'dormant',
  },
  {
    host: 'pdf.paperclip.tools',
    paths: ['/render'],
    method: 'POST',
    days: 33,
    priceMicro: 20_000,
    category30d: 'blank',
  },
  {
    host: 'prices.oraclefeed.xyz',
    paths: ['/spot', '/twap'],
    days: 1,
    priceMicro: 1000,
    category30d: 'blank',
  },
  {
    host: 'images.atelier-gen.com',
    paths: ['/v2/generate'],
    days: 40,
    priceMicro: 2_500_000,
    category30d: 'established',
  },
  {
    host: 'geo.mapmint.app',
    paths: ['/reverse', '/route'],
    days: 70,
    priceMicro: 3000,
    category30d: 'established',
    outcome: (_ago, index) => (index % 5 < 2 ? 'down' : 'up'),
  },
  {
    host: 'llm.quickinfer.net',
    paths: ['/v1/chat', '/v1/embed'],
    method: 'POST',
    days: 58,
    priceMicro: (ago) => (ago > 12 ? 8000 : 30_000),
    payTo: (ago) => (ago > 6 ? sampleAddress(71) : sampleAddress(72)),
    category30d: 'blank',
  },
  {
    host: 'sandbox.chainkit.dev',
    paths: ['/balance'],
    days: 25,
    network: 'sepolia',
    priceMicro: 1000,
    category30d: 'blank',
  },
  {
    host: 'data.coldharbor.org',
    paths: ['/tides', '/swell'],
    days: 66,
    priceMicro: 5000,
    category30d: 'dormant',
    outcome: (ago) => (ago < 3 ? 'down' : 'up'),
  },
  {
    host: 'mail.unreached.example',
    paths: ['/send'],
    days: 9,
    priceMicro: 1000,
    outcome: () => 'not_measured',
  },
  {
    host: 'ocr.neverpaid.example',
    paths: ['/scan'],
    days: 20,
    priceMicro: 4000,
    category30d: 'blank',
    claimedCalls: 900,
  },
  {
    host: 'rtl.hostile.example',
    paths: ['/%3Cscript%3Ealert(1)%3C/script%3E', '/ok'],
    title: `<script>alert("x")</script>\u202egnp.exe "quoted" 'single' ${'long '.repeat(2000)}`,
    category: '</style><img src=x onerror=alert(1)>',
    directories: ['bazaar"><b>'],
    days: 15,
    priceMicro: 6000,
    category30d: 'blank',
  },
]
