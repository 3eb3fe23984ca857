import type { Economy } from '@touchstone402/economy'

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:1'
const COMMON = {
  PUBLIC_URL: 'https://trust.example',
  OPERATOR_NAME: 'Example Trust',
  OPERATOR_CONTACT: 'ops@trust.example',
  PORT: '0',
  RATE_LIMIT_PER_MINUTE: '100000000',
}

/** Returns a local URL by the other name of this machine: a service takes no URL twice. */
export const otherName = (url: string) => url.replace('127.0.0.1', 'localhost')

/** Returns the settings of a service on an economy, on a free port and without directories. */
export function economySettings({ chain, facilitator, wallets }: Economy) {
  return {
    ...COMMON,
    // By two names, since final transfers are read a second time by the next URL.
    RPC_URLS: `${chain.rpcUrl},${otherName(chain.rpcUrl)}`,
    FACILITATOR_URL: facilitator.url,
    PAY_TO: wallets.service.address,
  }
}

/** Settings of a service without a chain, a facilitator or a directory. */
export const ALONE = {
  ...COMMON,
  // Where no receiver is read from chain, so that no probe waits for an RPC.
  NETWORK: 'eip155:84532',
  RPC_URLS: NOWHERE,
  FACILITATOR_URL: NOWHERE,
  PAY_TO: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  DIRECTORIES: 'file=/dev/null',
}
