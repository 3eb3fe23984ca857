import { fileURLToPath } from 'node:url'

const CLIENT = fileURLToPath(new URL('./client.mjs', import.meta.url))

/** Manners of the test client. */
export type Manner =
  /** Pays the first offer of any challenge. */
  | 'careless'
  /** Pays listed terms within the budget, until a payment brings nothing. */
  | 'careful'
  /** Calls, and pays nothing. */
  | 'looking'
  /** Calls nothing. */
  | 'silent'
  /** Signs with another key. */
  | 'foreign'
  /** Sends a signature that does not verify. */
  | 'invalid'
  /** Starts another process and never ends. */
  | 'hanging'
  /** Fails before it calls. */
  | 'crashing'
  /** Is killed, never ends, or fails after its call if the budget is not one dollar, and is careless else. */
  | 'dying'
  | 'waiting'
  | 'refusing'
  /** Prints a megabyte, then is careless. */
  | 'chatty'

/** Returns the command of a test client. */
export const commandOf = (manner: Manner): string[] => [process.execPath, CLIENT, manner]
