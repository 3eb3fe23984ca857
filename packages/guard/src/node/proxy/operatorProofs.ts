import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** A nonce of the client and one of the proxy; both are used for one command. */
export type Nonces = { client: string; server: string }

/** A command of the operator; it has no body. */
export type OperatorCommand = { method: string; path: string }

/** Path at which the proxy proves itself, and gives a nonce for one command. */
export const GREETING_PATH = '/operator'

/** Request header of a greeting: the nonce of the client. */
export const NONCE_HEADER = 'touchstone-nonce'

/** Response header with the proof of an answer. */
export const PROOF_HEADER = 'touchstone-proof'

const NONCE_LIFETIME_MS = 30_000
const CLIENT_NONCE = /^[\w-]{43}$/
const COMMAND_HEADER = /^([\w-]{43}) (\d+\.[\w-]{43}\.[\w-]{43}) ([\w-]{43})$/

/** Creates a nonce, or a secret. */
export const createNonce = (): string => randomBytes(32).toString('base64url')

/** Computes proofs with the operator's secret. Each direction has a label, so that no proof can be sent back. */
export function createProofs(secret: string, address: string) {
  // The address that was dialed is part of each proof: a listener elsewhere cannot pass the messages on.
  const prove = (label: string, ...facts: readonly unknown[]) => macOf(secret, [label, address, ...facts])
  return {
    /** Proves the proxy to the client. */
    ofGreeting: ({ client, server }: Nonces) => prove('greeting of the proxy', client, server),
    /** Proves the client, and what it asks for, to the proxy. */
    ofCommand: ({ client, server }: Nonces, { method, path }: OperatorCommand) =>
      prove('command of the operator', client, server, method, path),
    /** Proves the answer to a command. */
    ofAnswer: ({ client, server }: Nonces, status: number, body: string) =>
      prove('answer of the proxy', client, server, status, body),
    /** Derives the password of the page from the random text of a start, which is no secret. */
    ofPage: (start: string) => prove('password of the page', start),
  }
}

const macOf = (key: string, facts: readonly unknown[]) =>
  createHmac('sha256', key).update(JSON.stringify(facts)).digest('base64url')

/** Compares two texts in a time that does not depend on their content. */
export function isEqualText(one: string, other: string): boolean {
  const [left, right] = [one, other].map((text) => createHmac('sha256', KEY).update(text).digest())
  return timingSafeEqual(left as Buffer, right as Buffer)
}

const KEY = randomBytes(32)

/** The proxy's side of the operator's commands. */
export type OperatorGate = ReturnType<typeof createOperatorGate>

/**
 * Creates the gate of the operator's commands.
 * @param address where clients reach it: a URL, or the path of a socket
 */
export function createOperatorGate({
  secret,
  address,
  now,
}: {
  secret: string
  address: () => string
  now: () => number
}) {
  const key = createNonce()
  const start = createNonce()
  // Nonces of commands that were accepted, with the time until which they would hold. Others are not kept, so that
  // greetings of strangers cost no memory.
  const used = new Map<string, number>()
  const tagOf = (expiry: number, random: string, client: string) => macOf(key, [expiry, random, client])
  const proofs = () => createProofs(secret, address())
  return {
    /** Random text of this start, from which the operator derives the password of the page. */
    start,
    /** Proves the proxy to a client, with a nonce for one command within 30 seconds. Null without a nonce of the client. */
    greet(client: string): { nonce: string; proof: string } | null {
      if (!CLIENT_NONCE.test(client)) return null
      const expiry = now() + NONCE_LIFETIME_MS
      const random = createNonce()
      const nonce = `${expiry}.${random}.${tagOf(expiry, random, client)}`
      return { nonce, proof: proofs().ofGreeting({ client, server: nonce }) }
    },
    /** Returns the nonces of a command if it is the operator's, and uses them up. */
    accept(header: string, command: OperatorCommand): Nonces | null {
      const [, client = '', server = '', proof = ''] = COMMAND_HEADER.exec(header) ?? []
      const [expiry = '', random = '', tag = ''] = server.split('.')
      for (const [nonce, until] of used) if (until <= now()) used.delete(nonce)
      const isOwn = isEqualText(tag, tagOf(Number(expiry), random, client)) && Number(expiry) > now()
      if (!isOwn || used.has(server)) return null
      if (!isEqualText(proof, proofs().ofCommand({ client, server }, command))) return null
      used.set(server, Number(expiry))
      return { client, server }
    },
    /** Proves the answer to an accepted command. */
    prove: (nonces: Nonces, status: number, body: string) => proofs().ofAnswer(nonces, status, body),
    /** Whether a text is the password of the page, which holds until the proxy ends. */
    isPagePassword: (text: string) => isEqualText(text, proofs().ofPage(start)),
  }
}
