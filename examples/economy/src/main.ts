import { start } from './start.ts'

const economy = await start({ onProgress: (line) => console.log(line) })
console.log('')
for (const seller of Object.values(economy.sellers)) {
  console.log(
    `${seller.spec.character.padEnd(12)} ${seller.method.padEnd(4)} ${seller.url}  ${seller.receiver}`,
  )
}
console.log('\nPress Ctrl-C to stop.')

const stop = () => {
  economy.stop().then(
    () => process.exit(0),
    () => process.exit(1),
  )
}
process.once('SIGINT', stop)
process.once('SIGTERM', stop)
