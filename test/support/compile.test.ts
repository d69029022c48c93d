import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile } from './compile.ts'

describe('compile(), which tests of documents rest on', () => {
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'impersonation-compile-'))
    await writeFile(join(folder, 'right.ts'), 'export const one: number = 1\n')
    await writeFile(join(folder, 'wrong.ts'), "export const one: number = 'one'\n")
  })
  after(() => rm(folder, { recursive: true }))

  const options = ['--noEmit', '--types', '']

  it('answers nothing for right code, and the errors of wrong code', async () => {
    expect(await compile([...options, 'right.ts'], { cwd: folder })).to.equal('')
    expect(await compile([...options, 'wrong.ts'], { cwd: folder })).to.include('wrong.ts')
  }).timeout(60_000)

  it('fails where there is no compiler, or it ends without a word about the code', async () => {
    for (const tsc of [join(folder, 'tsc'), '/bin/false']) {
      const outcome = await compile(options, { tsc }).then(
        () => 'it passed',
        () => 'it failed',
      )
      expect(outcome, tsc).to.equal('it failed')
    }
  })
})
