import type { PaidOperationId } from '@touchstone402/shared'
import answers from '../../http/answerExamples.json' with { type: 'json' }
import tokenAnswers from '../../http/tokenExamples.json' with { type: 'json' }

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
/** Of a line, so that it fits the page of a wide screen. */
const MAX_LINE = 115

/** Returns a part of a recorded answer as a few lines of text: a field each, cut after its first items. */
export function sampleAnswer(id: PaidOperationId): string {
  const example: Readonly<Record<string, unknown>> = EXAMPLES[id]
  const lines = SHOWN[id].map((name) => cutLine(`  "${name}": ${JSON.stringify(cutList(example[name]))}`))
  return `{\n${lines.join(',\n')},\n  …\n}`
}

/** Keeps the first item of a list, which shows what the others hold. */
const cutList = (value: unknown) => (Array.isArray(value) ? value.slice(0, 1) : value)

const cutLine = (line: string) => (line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)} …`)
