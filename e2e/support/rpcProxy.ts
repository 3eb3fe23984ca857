import { serve } from './serve.ts'

/** A JSON-RPC request. */
export type RpcCall = { method: string; params: readonly unknown[] }

/** An RPC proxy that can inject faults. */
export type RpcProxy = {
  url: string
  /** Every call so far, single or in a batch. */
  calls: RpcCall[]
  /** Returns the fault of a call: an error, or no response. @default none */
  fault: (call: RpcCall) => 'fail' | 'hang' | undefined
  close(): Promise<void>
}

/** Starts the proxy on a free port. */
export async function startRpcProxy(target: string): Promise<RpcProxy> {
  const { url, stop: close } = await serve(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    const calls = [JSON.parse(body) as RpcCall | RpcCall[]].flat()
    proxy.calls.push(...calls)
    const faults = calls.map((call) => proxy.fault(call))
    if (faults.includes('hang')) return
    if (faults.includes('fail')) {
      response.writeHead(500).end()
      return
    }
    const answer = await fetch(target, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  const proxy: RpcProxy = { url, calls: [], fault: () => undefined, close }
  return proxy
}
