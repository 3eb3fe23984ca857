export { explainPolicy } from './decide/explainPolicy.ts'
export { type Replay, replayPolicy } from './ledger/replayPolicy.ts'
