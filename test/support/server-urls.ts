/** The servers that the tests run against, with a user who may create databases. */
export const REDIS_URL = process.env.REDIS_URL ?? 'redis://127.0.0.1:6379'
export const POSTGRES_URL = process.env.POSTGRES_URL ?? 'postgres://postgres@127.0.0.1:5432/test'
/** MySQL or MariaDB. */
export const MYSQL_URL = process.env.MYSQL_URL ?? 'mysql://root@127.0.0.1:3306'
