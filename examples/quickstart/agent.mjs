// An agent to start from: it asks one endpoint and pays if the guard approves.
import { isGuardError } from '@touchstone402/guard'
import { createGuardedFetch } from '@touchstone402/guard/fetch'
import { privateKeyToAccount } from 'viem/accounts'

const { ENDPOINT_URL, PRIVATE_KEY } = process.env
const missing = ['PRIVATE_KEY', 'ENDPOINT_URL'].filter((name) => !process.env[name])
if (missing.length > 0) {
  console.error(`Set ${missing.join(' and ')}.`)
  process.exit(1)
}
const fetch = createGuardedFetch({
  account: privateKeyToAccount(PRIVATE_KEY),
  onDecision: ({ type, payment }) =>
    console.log(type, payment && `$${payment.amountUsd} to ${payment.payTo}`),
})
try {
  const response = await fetch(ENDPOINT_URL)
  console.log(response.status, await response.text())
} catch (error) {
  if (!isGuardError(error)) throw error
  console.log(`Not paid: ${error.code}: ${error.shortMessage}`)
}
