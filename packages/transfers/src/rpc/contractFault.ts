import type { RpcFault } from './rpcReply.ts'

/** Words for what only the code of a contract causes, as clients and providers put them. */
const EVM_WORDS =
  /\brevert(ed|s)?\b|invalid (opcode|instruction)|(invalid|bad) jump|bad instruction|out ?of ?gas\b(?! credits?)|gas required exceeds|stack ?(underflow|overflow|limit)|write protection|state ?(change|modification)\w* (in|during) (a )?static|static ?(call|state)|opcode \S+ not defined|return data out of bounds|evm error/i
/** Data of a revert: `Error(string)`, `Panic(uint256)`, or a selector with words as arguments. */
const REVERT_DATA = /^(?:reverted )?0x(?:08c379a0|4e487b71|[0-9a-f]{8}(?:[0-9a-f]{64})+$)/i
/** Code that nodes give a revert. */
const REVERTED = 3

/**
 * Whether a failed `eth_call` looks like the fault of the contract: by the code of a revert, its data or words of the EVM.
 * Other codes prove nothing, since proxies use them for rate limits and for nodes that are behind.
 */
export function looksLikeContractFault({ status, code, message, data }: RpcFault): boolean {
  if (status === 429 || code === 429) return false
  return code === REVERTED || data.some((text) => REVERT_DATA.test(text)) || EVM_WORDS.test(message)
}
