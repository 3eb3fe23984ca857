import { type CallRecord, type Fate, OWNER } from '../books.ts'
import type { Facts } from '../facts.ts'
import { checkOutcome } from '../invariants/outcomes.ts'
import type { FakeAnswer } from '../process/fakeServer.ts'
import type { Machines } from '../process/machines.ts'
import type { TokenSetUp } from '../setUp.ts'
import { describeAnswer, describeError, type Ended, readPaidBy } from './outcomes.ts'

/** A call that an agent makes. */
export type AskedCall = {
  readonly host: string
  readonly path: string
  readonly method: 'GET' | 'POST'
  readonly body: string
  readonly fates: readonly Fate[]
  /** Time in ms after which its caller gives it up; null never. */
  readonly givesUpMs: number | null
  /** Whether its caller reads the answer. */
  readonly reads: boolean
}

/** The agents of a world: the owner's own program, and those that hold tokens. */
export type Agents = ReturnType<typeof createAgents>

export const urlOf = ({ host, path }: Pick<AskedCall, 'host' | 'path'>) => `https://${host}${path}`
const bodyOf = ({ method, body }: AskedCall) => (method === 'POST' ? body : undefined)

/** Creates the agents of a world. */
export function createAgents(facts: Facts, machines: Machines) {
  const { books, trace, time } = facts

  const begin = (seat: string, process: CallRecord['process'], asked: AskedCall): CallRecord => {
    const { host, fates, method } = asked
    const url = urlOf(asked)
    const endpoint = url.split('?')[0] ?? url
    const identity = `${seat} ${method} ${url} ${bodyOf(asked) ?? ''}`
    return books.begin({ seat, process, host, endpoint, identity, fates: [...fates] })
  }

  /** Follows a call to its end, which may never come. */
  const follow = (call: CallRecord, what: string, run: () => Promise<Ended>) => {
    trace.add(`call ${call.number} of ${call.seat}: ${what}`)
    const end = (outcome: Ended) => {
      if (call.isOver) return
      call.isOver = true
      call.outcome = outcome
      if (outcome === null) return
      const { status, code, paidBy } = outcome
      trace.add(
        `call ${call.number} ends: ${status ?? 'no answer'} ${code ?? ''} ${paidBy?.slice(0, 10) ?? ''}`,
      )
      checkOutcome(facts, call, outcome)
    }
    books.context.run(call, run).then(end, (error: unknown) => {
      facts.violation ??= error instanceof Error ? error : new Error(String(error))
    })
    return call
  }

  return {
    /** Calls as the owner's own program does. */
    owner(asked: AskedCall): CallRecord | null {
      const machine = machines.of('owner')
      if (machine === null) return null
      const [url, body] = [urlOf(asked), bodyOf(asked)]
      const abort = new AbortController()
      if (asked.givesUpMs !== null) time.after(asked.givesUpMs, () => abort.abort())
      return follow(begin(OWNER, machine.process, asked), `${asked.method} ${url}`, async () => {
        try {
          const init = { method: asked.method, signal: abort.signal, ...(body !== undefined && { body }) }
          const response = await machine.pay(url, init)
          const text = asked.reads ? await response.text() : ''
          if (!asked.reads) await response.body?.cancel()
          const { status } = response
          return { status, code: null, saysNothingSigned: false, paidBy: readPaidBy(text) }
        } catch (error) {
          return describeError(error)
        }
      })
    },
    /**
     * Calls through the proxy as the holder of a token does.
     * @param headers of the request, such as a payment
     * @param heard receives the answer
     */
    token(
      token: TokenSetUp,
      asked: AskedCall,
      headers: Readonly<Record<string, string>> = {},
      heard: (answer: FakeAnswer, call: CallRecord) => void = () => {},
    ): CallRecord | null {
      const machine = machines.of('proxy')
      if (machine?.server == null) return null
      const { server, process } = machine
      const [url, body] = [urlOf(asked), bodyOf(asked)]
      const { method } = asked
      const call = begin(token.name, process, asked)
      return follow(
        call,
        `${method} ${url}${Object.keys(headers).length > 0 ? ' with a payment' : ''}`,
        async () => {
          const sent = { 'Touchstone-Token': token.token, ...headers }
          const asking = server.call({ method, url: `/${url}`, headers: sent, body })
          if (asked.givesUpMs !== null) time.after(asked.givesUpMs, asking.drop)
          const answer = await asking.answer
          if (answer !== null) heard(answer, call)
          return describeAnswer(answer)
        },
      )
    },
    /** Sends a request of another kind to the proxy. Its signatures count for the token, and for no call. */
    async ask(
      token: TokenSetUp,
      method: 'GET' | 'POST',
      path: string,
      body: string,
    ): Promise<FakeAnswer | null> {
      const machine = machines.of('proxy')
      if (machine?.server == null) return null
      const { server, process } = machine
      const call = begin(token.name, process, { ...NO_CALL, host: 'proxy', path })
      trace.add(`call ${call.number} of ${call.seat}: ${method} ${path}`)
      const headers = { 'Touchstone-Token': token.token }
      const answer = await books.context.run(
        call,
        () => server.call({ method, url: path, headers, body }).answer,
      )
      call.isOver = true
      trace.add(`call ${call.number} ends: ${answer?.status ?? 'no answer'}`)
      return answer
    },
  }
}

const NO_CALL: AskedCall = {
  host: '',
  path: '',
  method: 'GET',
  body: '',
  fates: [],
  givesUpMs: null,
  reads: true,
}
