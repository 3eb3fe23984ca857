import type { Economy } from '@touchstone402/economy'

/** Returns the settings of a service on an economy, on a free port and without directories. */
export function economySettings({ chain, facilitator, wallets }: Economy) {
  return {
    PUBLIC_URL: 'https://trust.example',
    PORT: '0',
    RPC_URLS: chain.rpcUrl,
    FACILITATOR_URL: facilitator.url,
    PAY_TO: wallets.service.address,
  }
}
