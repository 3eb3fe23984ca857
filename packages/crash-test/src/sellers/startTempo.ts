import { type LocalServer, serve } from './serve.ts'

/** Answers of a Tempo node to a client that prepares a transaction. There is no chain behind them. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  eth_chainId: '0x1079',
  eth_estimateGas: '0x30000',
  eth_gasPrice: '0x4a817c800',
  eth_maxPriorityFeePerGas: '0x0',
  eth_getTransactionCount: '0x0',
  eth_getBlockByNumber: { baseFeePerGas: '0x4a817c800', number: '0x1', timestamp: '0x1', transactions: [] },
}

/** Starts a stub of a Tempo node, which clients of MPP need to open a session. */
export function startTempo(): Promise<LocalServer> {
  return serve(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text = `${text}${chunk}`.slice(0, 65_536)
    const answer = ({ id, method }: { id: unknown; method: string }) => {
      const result = Object.hasOwn(ANSWERS, method) ? ANSWERS[method] : '0x0'
      return { jsonrpc: '2.0', id, result }
    }
    const asked = JSON.parse(text)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answer) : answer(asked)))
  })
}
