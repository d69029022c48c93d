import { type Person, until } from './person.ts'

/** Opens a page of the example, and signs in where it asks. */
export async function signIn(person: Person, login: string, url: string): Promise<void> {
  await person.tab.goto(url)
  const asked = async () => /Password|Sign in/.exec(await person.text())?.[0]
  if ((await until('a sign-in', asked)) === 'Sign in') await person.press('Sign in')
  await person.fill('Login', login)
  await person.fill('Password', 'demo-password')
  await person.press('Sign in')
  await person.sees('Sign out')
}
