import { listen, type TestServer } from './listen.ts'

/** The word of a contract that says yes, or no. */
export const [USED, UNUSED] = ['1', '0'].map((digit) => `0x${digit.padStart(64, '0')}`) as [string, string]

/** Starts an RPC endpoint. `answer` returns the result of a call, `wrap` the whole answer. */
export function startRpc<Params extends unknown[]>(
  answer: (method: string, params: Params) => unknown,
  wrap = (result: unknown): unknown => ({ jsonrpc: '2.0', id: 1, result }),
): Promise<TestServer> {
  return listen(async (request, response) => {
    const { method, params } = JSON.parse(await new Response(request as never).text())
    response.end(JSON.stringify(wrap(await answer(method, params))))
  })
}

/** Returns a block of an RPC endpoint. @param at its time, Unix time in ms */
export const aBlock = (at = Date.now()) => ({
  number: '0x64',
  timestamp: `0x${Math.floor(at / 1000).toString(16)}`,
  hash: '0xaa',
})
