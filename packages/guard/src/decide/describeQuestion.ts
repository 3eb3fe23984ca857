import { findNetwork } from '@touchstone402/shared'
import type { Question } from './ask.ts'
import { escapeText } from './escapeText.ts'

/** Describes a question in labelled lines, escaped, for the person who answers it. */
export function describeQuestion(question: Question): [label: string, text: string][] {
  const { intent, reason, before, remainingUsd, body } = question
  const { amountUsd, payTo, network, asset, method, url } = intent
  const chain = findNetwork(network)?.label ?? network
  // The sentence is that of a refusal; here the answer is still open.
  const why = reason.replace(', and the payment was not approved', '')
  const lines: [string, string][] = [
    ['Price now', `$${amountUsd} (token ${asset} on ${chain})`],
    ['Price before', before.usualUsd === null ? 'nothing was paid here' : `usually $${before.usualUsd}`],
    ['Receiver now', payTo],
    ['Receiver before', describeReceiver(before.payTo, payTo)],
    ['Call', `${method} ${url}`],
    ['Body', body === null ? noBody(method) : `${body.bytes} bytes, SHA-256 ${body.sha256}`],
    ...(body === null ? [] : ([['Body begins', body.head]] as [string, string][])),
    ...(body === null || body.tail === '' ? [] : ([['Body ends', body.tail]] as [string, string][])),
    ['Why', why],
    ['Budget left', `$${remainingUsd}`],
  ]
  return lines.map(([label, text]) => [label, escapeText(text)])
}

const noBody = (method: string) => (['GET', 'HEAD'].includes(method) ? 'none' : 'none, or a stream')

function describeReceiver(before: string | null, now: string): string {
  if (before === null) return 'none'
  return before.toLowerCase() === now.toLowerCase() ? 'the same' : `${before}: it has changed`
}
