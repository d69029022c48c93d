// A process that stops while the caller of a replay is gone and its storage is slow. It prints what still happens.
import { setTimeout as wait } from 'node:timers/promises'
import { createMemoryAdapter } from '../../src/adapters/memory.ts'
import { deploy } from '../support/deployment.ts'

const memory = createMemoryAdapter()
let find = (_model: string): Promise<unknown> => Promise.resolve()
const deployment = await deploy({
  configuration: {
    adapter: (model) => {
      const adapter = memory(model)
      return Object.assign(Object.create(adapter), {
        find: async (id: string) => {
          await find(model)
          return adapter.find(id)
        },
      })
    },
  },
})
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
