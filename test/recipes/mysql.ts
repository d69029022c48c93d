import { createPool } from 'mysql2/promise'
import { MysqlAdapter } from '../../examples/recipes/mysql.ts'
import { MYSQL_URL } from '../adapters/servers.ts'

/** The recipe on a pool of its own. */
export function openMysql(database: string, connectionLimit = 10) {
  const pool = createPool({ uri: MYSQL_URL, database, connectionLimit })
  return { pool, factory: (model: string) => new MysqlAdapter(model, pool) }
}
