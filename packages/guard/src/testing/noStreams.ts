/** Streams of a command that uses none. */
export const NO_STREAMS = {
  write: async () => {},
  read: async () => new Uint8Array(),
  isTerminal: false,
}
