import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { compile } from '../support/compile.ts'

describe('docs/frameworks.md: TypeScript', function () {
  this.timeout(60_000)

  it('asks for skipLibCheck beside Express, for the reason that it says and no other', async () => {
    // Here, so that the packages of this repository are found: Express 5.3 is one of them.
    const folder = await mkdtemp(join(import.meta.dirname, 'types-'))
    try {
      await writeFile(join(folder, 'koa.ts'), "import Koa from 'koa'\nexport default new Koa()\n")
      const complaintsOf = async (skipLibCheck: boolean) => {
        const compilerOptions = {
          noEmit: true,
          strict: true,
          skipLibCheck,
          module: 'nodenext',
          target: 'es2022',
          types: ['node'],
        }
        const project = join(folder, 'tsconfig.json')
        await writeFile(project, JSON.stringify({ compilerOptions, files: ['koa.ts'] }))
        return compile(['-p', project])
      }
      expect(await complaintsOf(true)).to.equal('')
      const complaints = (await complaintsOf(false)).trim().split('\n')
      expect(complaints).to.have.lengthOf(1)
      expect(complaints[0]).to.match(
        /@types\/koa\/index\.d\.ts.* error TS2694: .*content-disposition/,
      )
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
