import { createPool } from 'mysql2/promise'
import { MysqlAdapter } from '../../examples/recipes/mysql.ts'

/** MySQL or MariaDB, with a user who may create databases. */
export const MYSQL_URL = process.env.MYSQL_URL ?? 'mysql://root@127.0.0.1:3306'

/** The recipe on a pool of its own. */
export function openMysql(database: string, connectionLimit = 10) {
  const pool = createPool({ uri: MYSQL_URL, database, connectionLimit })
  return { pool, factory: (model: string) => new MysqlAdapter(model, pool) }
}
