import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type LocalServer, listen } from './serve.ts'

/** Fault of one step, injected `before` or `after` the real facilitator does its work. */
export type Fault =
  | { kind: 'none' }
  | { kind: 'refused' }
  | { kind: 'reset' | 'timeout' | 'endless'; when: 'before' | 'after' }
  | { kind: 'answer'; when: 'before' | 'after'; status: number; body: string }

export type Step = 'verify' | 'settle'

export type FaultyFacilitator = {
  url: string
  /** Sets the faults. Omitted steps work. */
  set(faults: Partial<Record<Step, Fault>>): Promise<void>
  /** Lets the real facilitator settle the last payment received here, even if this double denied it. */
  settleLast(): Promise<void>
  /** Resolves once the real facilitator has finished every forwarded request, including those whose callers gave up. */
  idle(): Promise<void>
  close(): Promise<void>
}

const BLANKS = Buffer.alloc(64 * 1024, ' ')

/** Starts a proxy to a real facilitator that can inject faults. */
export async function startFaultyFacilitator(target: string): Promise<FaultyFacilitator> {
  let faults: Partial<Record<Step, Fault>> = {}
  let port = 0
  const underWay = new Set<Promise<void>>()
  const open = async () => {
    const opened = await listen(
      createServer((request, response) => {
        const work = handle(request, response)
          .catch(() => void response.destroy())
          .finally(() => underWay.delete(work))
        underWay.add(work)
      }),
      port,
    )
    port = opened.port
    return opened
  }
  const shut = async () => {
    const closing = server
    server = undefined
    await closing?.stop()
  }

  let last: Buffer<ArrayBuffer> | undefined
  const post = (path: string, body: Buffer<ArrayBuffer>) =>
    fetch(target + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const step = request.url === '/settle' ? 'settle' : 'verify'
    const fault = faults[step] ?? { kind: 'none' }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    last = body
    const forward = () => post(request.url ?? '', body)
    if (fault.kind !== 'none' && fault.kind !== 'refused' && fault.when === 'after') {
      await (await forward()).arrayBuffer()
    }
    if (fault.kind === 'reset') return void request.socket.destroy()
    if (fault.kind === 'timeout') return
    if (fault.kind === 'endless') {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .on('drain', () => response.write(BLANKS))
      while (response.write(BLANKS));
      return
    }
    if (fault.kind === 'answer') {
      return void response.writeHead(fault.status, { 'content-type': 'application/json' }).end(fault.body)
    }
    const answer = await forward()
    response.writeHead(answer.status, { 'content-type': 'application/json', connection: 'close' })
    response.end(Buffer.from(await answer.arrayBuffer()))
    // The settlement that follows cannot connect.
    if (step === 'verify' && faults.settle?.kind === 'refused') response.once('close', () => void shut())
  }

  let server: LocalServer | undefined = await open()
  return {
    url: `http://127.0.0.1:${port}`,
    set: async (wanted) => {
      faults = wanted
      if (wanted.verify?.kind === 'refused') await shut()
      else server ??= await open()
    },
    settleLast: async () => {
      const answer = await post('/settle', last ?? Buffer.of())
      const { success }: { success?: boolean } = await answer.json()
      if (success !== true) throw new Error('the last payment could not be settled')
    },
    idle: async () => void (await Promise.all(underWay)),
    close: shut,
  }
}
