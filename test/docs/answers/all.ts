import { askForExchanges, askOthers } from './exchange.ts'
import { askForMachineTokens, askManagement } from './management.ts'
import { askRoutes } from './routes.ts'
import { answersDuring, type SeenAnswer } from './seen.ts'
import { askForStatusLists, askForStatusListsInTrouble } from './status-lists.ts'
import { startWorld } from './world.ts'

const NONCES = { enabled: true, nonceSecret: Buffer.alloc(32, 1) } as const

/** Every answer of all operations, each from a deployment that runs. */
export function allAnswers(document: string): Promise<SeenAnswer[]> {
  return answersDuring(document, async () => {
    for (const dPoP of [undefined, NONCES, { enabled: true } as const]) {
      const world = await startWorld(dPoP)
      await askForStatusListsInTrouble(world)
      await askForMachineTokens(world)
      await askRoutes(world)
      await askManagement(world)
      await askForExchanges(world)
      await askForStatusLists(world)
      await world.close()
    }
    await askOthers()
  })
}
