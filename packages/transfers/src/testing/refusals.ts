import type { Refuse } from './quirkyRpc.ts'

const hex = (value: number) => `0x${value.toString(16)}`

/** Refusals of a query that spans too many blocks. */
export const BLOCK_REFUSALS: Readonly<Record<string, Refuse>> = {
  'up to a N block range': ({ cap }) => ({
    code: -32600,
    message: `You can make eth_getLogs requests with up to a ${cap} block range`,
  }),
  'limited to a N range, 413': ({ cap }) => ({
    status: 413,
    code: -32614,
    message: `eth_getLogs is limited to a ${cap.toLocaleString('en')} range`,
  }),
  'block range too large': () => ({ code: -32000, message: 'block range too large' }),
  'at most N blocks': ({ cap }) => ({
    code: -32000,
    message: `please limit the query to at most ${cap.toLocaleString('en')} blocks`,
  }),
  'maximum block range: N': ({ cap }) => ({ code: -32000, message: `maximum block range: ${cap}` }),
}

/** Refusals of a query that returns too many logs. */
export const RESULT_REFUSALS: Readonly<Record<string, Refuse>> = {
  'this block range should work': ({ fits }) => ({
    code: -32602,
    message: `Log response size exceeded. this block range should work: [${hex(fits.from)}, ${hex(fits.to)}]`,
  }),
  'more than N results, try': ({ cap, fits }) => ({
    code: -32005,
    message: `query returned more than ${cap} results. Try with this block range [${hex(fits.from)}, ${hex(fits.to)}].`,
  }),
  'exceeds max results, retry': ({ cap, fits }) => ({
    code: -32602,
    message: `query exceeds max results ${cap}, retry with the range ${fits.from}-${fits.to}`,
  }),
  'suggests the same range': ({ cap, range }) => ({
    code: -32602,
    message: `query exceeds max results ${cap}, retry with the range ${range.from}-${range.to}`,
  }),
  'suggests an inverted range': ({ range }) => ({
    code: -32602,
    message: `Log response size exceeded. this block range should work: [${hex(range.to)}, ${hex(range.from)}]`,
  }),
  'query timeout': () => ({ code: -32000, message: 'Query timeout exceeded' }),
  'response too big': () => ({ code: -32008, message: 'Response is too big' }),
}
