// A process that decides on permits, writes down each answer the moment that it has it, and is killed
// then; or one that races another for each.
import { writeSync } from 'node:fs'
import { argv, kill, pid, stdin, stdout } from 'node:process'
import { decide, decisionOf, permitOf } from '../stores/contract/permits.ts'
import { many, writeNow } from '../stores/contract/support.ts'
import { type StorageKind, storeAt } from './soak-stores.ts'

const [, , kind = '', place = '', work = '', count = '', delay = '0'] = argv
const { store, close } = await storeAt(kind as StorageKind, place)
await store.open()
const say = (text: string) => writeSync(stdout.fd, `${text}\n`)

if (work === 'race') {
  say('ready')
  await new Promise((resolve) => stdin.once('data', resolve))
  const answers = []
  for (let number = 0; number < Number(count); number += 1) {
    const name = `race ${number}`
    const data = JSON.stringify({ by: pid })
    const decided = permitOf(name, { version: 2, state: 'granted', data })
    // Both looked at the permit before anybody decided on it.
    const { is } = await writeNow(store, decisionOf(decided, number + 1))
    answers.push([is === 'stored', (await store.permit(decided.id))?.data])
  }
  say(JSON.stringify(answers))
  stdin.destroy()
  await store.close()
  await close()
} else {
  for (let number = 0; ; number += 1) {
    if (number === Number(count)) setTimeout(() => kill(pid, 'SIGKILL'), Number(delay))
    // SQLite is synchronous: without a pause, the time to be killed would never come.
    await new Promise(setImmediate)
    const made = many(4, (index) => `${pid} ${number} ${index}`)
    await Promise.all(
      made.map(async (name) => {
        const permit = permitOf(name)
        await decide(store, permit)
        say(permit.id)
      }),
    )
  }
}
