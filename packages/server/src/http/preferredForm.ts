import type { IncomingMessage } from 'node:http'
import express from 'express'

/** Returns the form of an answer that a client prefers by `Accept`; JSON if it names neither. */
export function preferredForm(request: IncomingMessage): 'html' | 'json' {
  return express.request.accepts.call(request, 'json', 'html') === 'html' ? 'html' : 'json'
}
