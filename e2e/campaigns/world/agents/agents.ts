import { asObject } from '@touchstone402/shared'
import { type CallRecord, type Fate, type Outcome, OWNER } from '../books.ts'
import type { Facts } from '../facts.ts'
import { checkOutcome } from '../invariants/outcomes.ts'
import type { FakeAnswer } from '../process/fakeServer.ts'
import type { Machines } from '../process/machines.ts'
import type { TokenSetUp } from '../setUp.ts'

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

const urlOf = ({ host, path }: AskedCall) => `https://${host}${path}`
const bodyOf = ({ method, body }: AskedCall) => (method === 'POST' ? body : undefined)

/** Identifies a call among those of its seat, or of one token. */
export const identityOf = (seat: string, method: string, url: string, body = '') =>
  `${seat} ${method} ${url} ${body}`

/** Creates the agents of a world: the owner's own program, and those that hold tokens. */
export function createAgents(facts: Facts, machines: Machines) {
  const { books, trace, time } = facts

  /** Follows a call to its end, which may never come. */
  const follow = (call: CallRecord, what: string, run: () => Promise<Outcome | null>) => {
    trace.add(`call ${call.number} of ${call.seat}: ${what}`)
    const end = (outcome: Outcome | null) => {
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
      const identity = identityOf(OWNER, asked.method, url, body)
      const { host, fates } = asked
      const call = books.begin({ seat: OWNER, process: machine.process, host, identity, fates: [...fates] })
      const abort = new AbortController()
      if (asked.givesUpMs !== null) time.after(asked.givesUpMs, () => abort.abort())
      return follow(call, `${asked.method} ${url}`, async () => {
        try {
          const init = { method: asked.method, signal: abort.signal, ...(body !== undefined && { body }) }
          const response = await machine.pay(url, init)
          const text = asked.reads ? await response.text() : ''
          if (!asked.reads) await response.body?.cancel()
          return { status: response.status, code: null, saysNothingSigned: false, paidBy: readPaidBy(text) }
        } catch (error) {
          return describeError(error)
        }
      })
    },
    /** Calls through the proxy as the holder of a token does. */
    token(token: TokenSetUp, asked: AskedCall, headers: Record<string, string> = {}): CallRecord | null {
      const machine = machines.of('proxy')
      if (machine?.server == null) return null
      const { server, process } = machine
      const [url, body] = [urlOf(asked), bodyOf(asked)]
      const identity = identityOf(token.name, asked.method, url, body)
      const { host, fates, method } = asked
      const call = books.begin({ seat: token.name, process, host, identity, fates: [...fates] })
      return follow(
        call,
        `${method} ${url}${Object.keys(headers).length > 0 ? ' with a payment' : ''}`,
        async () => {
          const sent = { 'Touchstone-Token': token.token, ...headers }
          const asking = server.call({ method, url: `/${url}`, headers: sent, body })
          if (asked.givesUpMs !== null) time.after(asked.givesUpMs, asking.drop)
          return describeAnswer(await asking.answer)
        },
      )
    },
  }
}

const readJson = (text: string): Record<string, unknown> | undefined => {
  try {
    return asObject(JSON.parse(text))
  } catch {
    return undefined
  }
}

const readPaidBy = (text: string): string | null => {
  const paidBy = readJson(text)?.paidBy
  return typeof paidBy === 'string' ? paidBy : null
}

function describeError(error: unknown): Outcome {
  const { code, moneyMayHaveLeft } = Object(error) as { code?: unknown; moneyMayHaveLeft?: unknown }
  return {
    status: null,
    code: typeof code === 'string' ? code : String(error),
    saysNothingSigned: moneyMayHaveLeft !== true,
    paidBy: null,
  }
}

function describeAnswer(answer: FakeAnswer | null): Outcome | null {
  if (answer === null) return null
  const { status, headers, text } = answer
  const code = headers.get('touchstone-code')
  const state = code === null ? headers.get('touchstone-state') : readJson(text)?.state
  return { status, code, saysNothingSigned: state === 'none', paidBy: readPaidBy(text) }
}
