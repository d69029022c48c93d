import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, Buffer, number, Buffer>(scrypt)
const LENGTH = 32

export interface PasswordHash {
  readonly salt: Buffer
  readonly hash: Buffer
}

export async function hashPassword(password: string): Promise<PasswordHash> {
  const salt = randomBytes(16)
  return { salt, hash: await derive(password, salt, LENGTH) }
}

export async function verifyPassword(
  password: string,
  { salt, hash }: PasswordHash,
): Promise<boolean> {
  return timingSafeEqual(await derive(password, salt, LENGTH), hash)
}
