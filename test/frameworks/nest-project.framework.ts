import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { snippetsOf } from '../docs/documents.ts'
import { expectWhole } from '../docs/framework-server.ts'
import { compile } from '../support/compile.ts'
import { launch } from '../support/program.ts'
import { shared } from '../support/shared.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A controller with something injected, as every application has. */
const APP_MODULE = `
import { Controller, Get, Injectable, Module } from '@nestjs/common'

@Injectable()
export class Greeting {
  readonly text = 'still here'
}

@Controller()
export class AppController {
  constructor(private readonly greeting: Greeting) {}

  @Get()
  greet(): string {
    return this.greeting.text
  }
}

@Module({ controllers: [AppController], providers: [Greeting] })
export class AppModule {}
`

/** The settings of the CLI of NestJS, as far as they change the code. */
const COMPILER_OPTIONS = {
  target: 'ES2023',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  isolatedModules: true,
  emitDecoratorMetadata: true,
  experimentalDecorators: true,
}

for (const [version, type] of [
  [11, 'commonjs'],
  [12, 'module'],
] as const) {
  describe(`main.ts of docs/frameworks.md, in a ${type} project of NestJS ${version}`, () => {
    let project: string

    const javaScript = shared(() => snippetsOf('frameworks.md', 'js'))
    const typeScript = shared(() => snippetsOf('frameworks.md'))
    before(async () => {
      project = join(typeScript.folder, 'project')
      const source = join(project, 'src')
      await mkdir(source, { recursive: true })
      const installed = join(import.meta.dirname, `nest-${version}/node_modules`)
      await symlink(installed, join(project, 'node_modules'))
      await symlink(join(ROOT, 'src'), join(project, 'package'))
      const manifest = JSON.parse(await readFile(join(typeScript.folder, 'package.json'), 'utf8'))
      await writeFile(join(project, 'package.json'), JSON.stringify({ ...manifest, type }))
      await writeFile(join(source, 'app.module.ts'), APP_MODULE)
      await cp(join(typeScript.folder, 'src/main.ts'), join(source, 'main.ts'))
      await cp(join(javaScript.folder, 'src/provider.mjs'), join(source, 'provider.mts'))
    })

    it('compiles strictly', async () => {
      const compilerOptions = {
        ...COMPILER_OPTIONS,
        erasableSyntaxOnly: false,
        verbatimModuleSyntax: false,
      }
      const include = ['src', join(ROOT, 'src/host/oidc-provider-lib.d.ts')]
      const settings = { extends: '../tsconfig.json', compilerOptions, include }
      await writeFile(join(project, 'tsconfig.json'), JSON.stringify(settings))
      expect(await compile(['-p', project])).to.equal('')
    })

    it('issues, exchanges and signs in once compiled, and has its controllers', async () => {
      // Only these files: the package is not compiled along, as it is not for its users.
      const own = { rootDir: 'src', outDir: 'dist', noResolve: true, noCheck: true, types: [] }
      const settings = { compilerOptions: { ...COMPILER_OPTIONS, ...own }, include: ['src'] }
      await writeFile(join(project, 'tsconfig.build.json'), JSON.stringify(settings))
      expect(await compile(['-p', join(project, 'tsconfig.build.json')])).to.equal('')
      await cp(join(javaScript.folder, 'src/try.mjs'), join(project, 'dist/try.mjs'))
      const file = join(project, 'dist/main.js')
      await using server = await launch(file)
      await expectWhole(file, server)
      expect(await (await fetch(server.base)).text()).to.equal('still here')
    })
  })
}
