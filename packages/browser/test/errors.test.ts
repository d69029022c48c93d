import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { describeCause } from '../src/errors.ts'
import { ImpersonationError, type ImpersonationErrorCode } from '../src/index.ts'
import { ENGLISH_COVER_TEXTS, reasonOf } from '../src/texts.ts'

const ROOT = new URL('../../../', import.meta.url)

describe('the errors for operators', () => {
  let codes: ImpersonationErrorCode[]

  before(async () => {
    const source = await readFile(new URL('packages/browser/src/errors.ts', ROOT), 'utf8')
    const [union = ''] = /export type ImpersonationErrorCode =.*?\n\n/s.exec(source) ?? []
    codes = [...union.matchAll(/\| '(\w+)'/g)].map(([, code]) => code as ImpersonationErrorCode)
  })

  it('are all in the document, and no others', async () => {
    const text = await readFile(new URL('docs/troubleshooting.md', ROOT), 'utf8')
    const heading = '\n## An operator cannot begin in your application\n'
    const section = text.split(heading)[1]?.split('\n## ')[0] ?? ''
    const rows = section
      .split('\n')
      .filter((line) => line.startsWith('| `') && !line.startsWith('| `code`'))
    const told = rows.flatMap((row) => [...(row.split(' | ')[0] ?? '').matchAll(/`(\w+)`/g)])
    expect(codes).to.have.length.greaterThan(10)
    expect(told.map(([, code]) => code)).to.have.members(codes)
  })

  it('say what happened in whole sentences, or what the application says instead', () => {
    // `left` says when it is over, and by whom: left.e2e.ts reads it.
    for (const code of codes.filter((each) => each !== 'left')) {
      expect(new ImpersonationError(code).message, code).to.match(/^[A-Z].{30,}\.$/)
      const texts = { [code]: 'Anders.' }
      expect(new ImpersonationError(code, { texts }).message).to.equal('Anders.')
      expect(new ImpersonationError(code, { texts: {} })).to.include({ code })
    }
  })

  it('say of each end by whom it came, the cause before the party', () => {
    for (const [by, cause, reason] of [
      ['operator', 'operator_signed_out', 'bySignOut'],
      ['operator', 'replay', 'byReplay'],
      ['other', 'policy', 'byPolicy'],
      ['customer', 'user', 'byCustomer'],
      ['operator', 'requested', 'byOperator'],
      ['other', 'requested', 'byOther'],
    ] as const) {
      expect(reasonOf({ by, cause })).to.equal(reason)
      expect(ENGLISH_COVER_TEXTS[reason]).to.match(/^[A-Z].*\.$/)
    }
    expect(reasonOf(undefined)).to.equal('unknown')
  })

  it('have a cause in words, without what an answer had in it', () => {
    const secret = { body: { access_token: 'secret' } }
    const failure = new Error('"response" body "expires_in" is wrong', { cause: secret })
    expect(describeCause(failure).message).to.equal('Error: "response" body "expires_in" is wrong')
    expect(describeCause(failure)).to.not.have.property('cause')
    const refusal = Object.assign(new Error('an error', { cause: secret }), {
      error: 'invalid_request',
      error_description: 'subject token is invalid',
    })
    expect(describeCause(refusal).message).to.equal('invalid_request: subject token is invalid')
    expect(describeCause('odd').message).to.equal('odd')
  })
})
