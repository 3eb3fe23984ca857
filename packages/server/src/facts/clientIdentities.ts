/** A client identity of the prober. */
export type ClientIdentity = {
  /** Index as text. Records are public, so a descriptive name would tell sellers which client to treat specially. */
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
}

const NAMES: Readonly<Record<string, string>> = {
  0: "Touchstone's prober",
  1: "Node's fetch",
  2: "Python's httpx",
}

/** Returns the name of an identity in sentences. @default its id */
export const nameClient = (id: string): string => NAMES[id] ?? `client ${id}`

/**
 * Creates the identities of the prober. The first identifies itself; the others send exactly the headers, in order, of
 * common agent clients, to detect sellers that show different terms to different clients.
 * @param contact URL or address in the first identity's user agent
 */
export function createClients(contact: string): readonly ClientIdentity[] {
  return [
    {
      id: '0',
      headers: {
        accept: 'application/json',
        'accept-encoding': 'gzip, deflate, br',
        'user-agent': `Touchstone/0.1 (+${contact})`,
      },
    },
    {
      // Node 20's fetch.
      id: '1',
      headers: {
        accept: '*/*',
        'accept-language': '*',
        'sec-fetch-mode': 'cors',
        'user-agent': 'node',
        'accept-encoding': 'gzip, deflate',
      },
    },
    {
      // httpx 0.28, used by most Python agents.
      id: '2',
      headers: {
        accept: '*/*',
        'accept-encoding': 'gzip, deflate',
        'user-agent': 'python-httpx/0.28.1',
      },
    },
  ]
}
