import { findNetwork } from '@touchstone402/shared'
import { formatUsd } from '../formatUsd.ts'
import type { PriceBefore, Question } from './ask.ts'
import { escapeText } from './escapeText.ts'

/** Describes a question in labelled lines, escaped, for the person who answers it. */
export function describeQuestion(question: Question): [label: string, text: string][] {
  const { intent, reason, details, before, remainingUsd, body } = question
  const { amountUsd, payTo, network, asset, method, url } = intent
  const chain = findNetwork(network)?.label ?? network
  // The sentence is that of a refusal; here the answer is still open.
  const open = reason.replace(', and the payment was not approved', '')
  const why = details === null ? open : `${open} ${details}`
  const lines: [string, string][] = [
    ['Price now', `${formatUsd(amountUsd)} (token ${asset} on ${chain})`],
    ['Price before', describePrice(before.price)],
    ['Receiver now', payTo],
    ['Receiver before', describeReceiver(before.payTo, payTo)],
    ['Call', `${method} ${url}`],
    ['Body', body === null ? noBody(method) : `${body.bytes} bytes, SHA-256 ${body.sha256}`],
    ...(body === null ? [] : ([['Body begins', body.head]] as [string, string][])),
    ...(body === null || body.tail === '' ? [] : ([['Body ends', body.tail]] as [string, string][])),
    ['Why', why],
    ['Budget left', formatUsd(remainingUsd)],
  ]
  return lines.map(([label, text]) => [label, escapeText(text)])
}

const noBody = (method: string) => (['GET', 'HEAD'].includes(method) ? 'none' : 'none, or a stream')

function describePrice(price: PriceBefore | null): string {
  if (price === null) return 'nothing was paid here'
  const when = price.paidAt === null ? '' : `, last on ${price.paidAt.slice(0, 10)}`
  const what = `${formatUsd(price.usd)}${when}`
  return price.isHere ? `usually ${what}` : `nothing was paid here; at other endpoints of the host ${what}`
}

function describeReceiver(before: string | null, now: string): string {
  if (before === null) return 'none'
  return before.toLowerCase() === now.toLowerCase() ? 'the same' : `${before}: it has changed`
}
