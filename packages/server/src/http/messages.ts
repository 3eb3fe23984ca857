import { IncomingMessage, type RequestListener, type ServerOptions, ServerResponse } from 'node:http'
import type { Express } from 'express'
import type { Repeats } from './answerRepeats.ts'

/** The classes of what a listener is handed. */
export type Messages = {
  readonly [Name in 'IncomingMessage' | 'ServerResponse']: NonNullable<ServerOptions[Name]>
}

/** A listener, what its server should hand it, and what it answers without being handed anything. */
export type HttpApp = RequestListener & { readonly messages?: Messages; readonly repeats?: Repeats }

/**
 * Makes requests and responses that are what Express makes of plain ones. It changes their prototypes one by one, and
 * from the first on all of Node's own code on HTTP is slower, for every call of the process (by a tenth of what an
 * answer from memory costs); here it finds nothing to change.
 */
export function createMessages(app: Express): Messages {
  class Request extends IncomingMessage {}
  class Response<T extends IncomingMessage = IncomingMessage> extends ServerResponse<T> {}
  for (const [name, { prototype }] of [
    ['request', Request],
    ['response', Response],
  ] as const) {
    Object.setPrototypeOf(prototype, Reflect.get(app, name))
    Reflect.set(app, name, prototype)
  }
  return { IncomingMessage: Request, ServerResponse: Response }
}
