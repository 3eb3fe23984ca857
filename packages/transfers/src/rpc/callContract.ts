import { isHex } from 'viem'
import { ChainError } from '../chainError.ts'
import type { Address, Hex, ReadOptions } from '../types.ts'
import { looksLikeContractFault } from './contractFault.ts'
import type { Member } from './rpcPool.ts'
import { toFailure } from './rpcReply.ts'
import type { Outcome } from './rpcRequest.ts'

/** A call of a contract, and the block that it is made at: a quantity or a tag. */
export type ContractCall = { readonly to: Address; readonly data: Hex; readonly at: string }

/** The identity precompile, a contract of every chain and block. It returns what it is sent. */
const IDENTITY = '0x0000000000000000000000000000000000000004'
const ECHO = '0x01'

const requestOf = ({ to, data, at }: ContractCall) => ({ method: 'eth_call', params: [{ to, data }, at] })

/**
 * Calls contracts at one RPC; null for each that fails by its own code.
 *
 * The RPC must answer a call of another contract at the same block: else it, and no contract, is at fault.
 *
 * @throws RpcFailure
 */
export async function callContracts(
  member: Member,
  calls: readonly ContractCall[],
  read?: ReadOptions,
): Promise<(Hex | null)[]> {
  const [first] = calls
  if (first === undefined) return []
  const control = requestOf({ to: IDENTITY, data: ECHO, at: first.at })
  const requests = calls.map(requestOf)
  // Of several calls, one usually fails: functions are optional.
  const outcomes = await member.batch(calls.length > 1 ? [...requests, control] : requests, read)
  const answers = calls.map((_, i) => readAnswer(member, outcomes[i]))
  if (answers.every((answer) => answer !== 'failed')) return answers.map(toBytes)
  const [check = outcomes[calls.length]] = calls.length > 1 ? [] : await member.batch([control], read)
  const isFault = check !== undefined && 'result' in check && check.result === ECHO
  if (!isFault)
    throw toFailure(member.ordinal, 'eth_call', check !== undefined && 'fault' in check ? check.fault : null)
  return answers.map((answer) => (answer === 'failed' ? null : toBytes(answer)))
}

/** Calls one contract. @throws ChainError `reverted` if it fails by its own code; RpcFailure */
export async function callContract(
  member: Member,
  call: ContractCall,
  read?: ReadOptions,
): Promise<Hex | null> {
  const outcomes = await member.batch([requestOf(call)], read)
  const answer = readAnswer(member, outcomes[0])
  if (answer !== 'failed') return toBytes(answer)
  const [again] = await callContracts(member, [call], read)
  if (again !== null && again !== undefined) return again
  throw new ChainError('reverted', `The contract ${call.to} failed`)
}

type Answer = { readonly result: unknown } | 'failed'

function readAnswer(member: Member, outcome: Outcome | undefined): Answer {
  if (outcome !== undefined && 'result' in outcome) return outcome
  if (outcome !== undefined && looksLikeContractFault(outcome.fault)) return 'failed'
  throw toFailure(member.ordinal, 'eth_call', outcome?.fault ?? null)
}

function toBytes(answer: Answer): Hex | null {
  if (answer === 'failed' || !isHex(answer.result)) return null
  return answer.result.length % 2 === 0 ? answer.result : null
}
