import { Sequelize } from 'sequelize'
import { defineModels, SequelizeAdapter } from '../../recipes/sequelize.ts'
import { onPostgres } from './postgres.ts'

async function open(url: string) {
  const sequelize = new Sequelize(url, { dialect: 'postgres', logging: false, pool: { max: 10 } })
  defineModels(sequelize)
  return {
    sequelize,
    factory: (model: string) => new SequelizeAdapter(model, sequelize),
    close: () => sequelize.close(),
  }
}

async function synchronized(url: string) {
  const store = await open(url)
  await store.sequelize.sync()
  return store
}

describe('The recipe for Sequelize, on PostgreSQL', () => {
  onPostgres(open, synchronized, { jsonb: true })
})
