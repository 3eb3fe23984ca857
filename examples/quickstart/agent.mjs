// An agent to start from: it asks one endpoint and pays if the guard approves.
import { isGuardError } from '@touchstone402/guard'
import { readAccount } from '@touchstone402/guard/account'
import { createGuardedFetch } from '@touchstone402/guard/fetch'

const { ENDPOINT_URL } = process.env
if (!ENDPOINT_URL) {
  console.error('Set ENDPOINT_URL.')
  process.exit(1)
}
const fetch = createGuardedFetch({
  account: await readAccount(),
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
