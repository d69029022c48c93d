// A process that consumes records: started by mysql.recipe.ts, and ended by its disconnection.
import { openMysql } from './mysql.ts'
import { readingFirst } from './race.ts'

const CALLERS = 5
const [database = '', mistake = ''] = process.argv.slice(2)

const { pool, factory } = openMysql(database, CALLERS)
const adapter = (mistake ? readingFirst(factory) : factory)('SubjectToken')
await Promise.all(Array.from({ length: CALLERS }, () => adapter.find('connect')))

process.once('disconnect', () => pool.end())
process.on('message', async (id: string) => {
  const callers = Array.from({ length: CALLERS }, (_, caller) => `${process.pid}-${caller}`)
  const won = await Promise.all(callers.map((actor) => adapter.consumeOnce(id, { actor })))
  process.send?.(callers.filter((_, caller) => won[caller]))
})
process.send?.('ready')
