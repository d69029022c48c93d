// A process that stops while the caller of a replay is gone and its storage is slow. It prints what still happens.
import { setTimeout as wait } from 'node:timers/promises'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { deploy } from '../support/deployment.ts'
import { around } from '../support/faulty-adapter.ts'

let find = (_model: string): Promise<unknown> => Promise.resolve()
const adapter = around(createMemoryAdapter(), async (method, _args, call, model) => {
  if (method === 'find') await find(model)
  return call()
})
const deployment = await deploy({ adapter })
const { provider } = deployment
provider.on('impersonation.replayed', () => console.log('replayed'))
provider.on('impersonation.ended', (_ctx, { end }) => console.log(`ended: ${end?.cause}`))
const subject_token = await deployment.subjectToken()
await deployment.exchange({ subject_token })
const looked = Promise.withResolvers<void>()
find = async (model) => {
  if (model === 'SubjectToken') looked.resolve()
  await wait(50)
}
const replay = deployment.exchange({ subject_token }).catch(() => {})
await looked.promise
await deployment.close()
await replay
