import type { PaidOperationId } from '@touchstone402/shared'
import answers from '../http/answerExamples.json' with { type: 'json' }
import tokenAnswers from '../http/tokenExamples.json' with { type: 'json' }

const EXAMPLES = { ...tokenAnswers, ...answers }

/** Fields of an answer that a sample shows, in order: what is sold before what frames it. */
const SHOWN: { readonly [Id in PaidOperationId]: readonly (keyof (typeof EXAMPLES)[Id])[] } = {
  trust: ['services', 'riskMap'],
  trustHistory: ['endpoint', 'firstSeen', 'uptime', 'daily', 'payToHistory', 'priceHistory', 'trend'],
  trustDataset: ['total', 'scoreVersion', 'services'],
  dataFull: ['total', 'services', 'mcpServers', 'ecosystem', 'incidents'],
  pulse: ['summary', 'transfers', 'uniqueAddresses', 'volume', 'median', 'top10SharePct', 'series'],
  whales: ['summary', 'threshold', 'matched', 'matchedVolume', 'rows'],
  flow: ['summary', 'addresses', 'topAccumulators', 'topDistributors', 'sumToZero'],
  momentum: ['summary', 'metrics', 'direction', 'lowSample'],
}
const MAX_LINE = 120

/** Returns a part of a recorded answer as a few lines of text: a field each, cut after its first items. */
export function sampleAnswer(id: PaidOperationId): string {
  const example: Readonly<Record<string, unknown>> = EXAMPLES[id]
  const lines = SHOWN[id].map((name) => `  "${name}": ${cutLine(JSON.stringify(cutList(example[name])))}`)
  return `{\n${lines.join(',\n')},\n  …\n}`
}

/** Keeps the first item of a list, which shows what the others hold. */
const cutList = (value: unknown) => (Array.isArray(value) ? value.slice(0, 1) : value)

const cutLine = (json: string) => (json.length <= MAX_LINE ? json : `${json.slice(0, MAX_LINE)} …`)
