import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { BENCH_VERSION, type BenchFile, changes, readBenchFile } from '../../bench/compare.ts'
import type { Figures } from '../../bench/figures.ts'
import { CHECKOUT_ROOT } from '../../bench/process.ts'
import { spread } from '../../bench/statistics.ts'

const around = (median: number, by: number) =>
  spread([-1, -1, -1, 0, 1, 1, 1].map((n) => median + n * by))

function figure(ratio: number, more: Partial<Figures> = {}): Figures {
  return {
    ...{ storage: 'redis', connections: 32, scenario: 'exchange', p50: 1, p99: 2 },
    ...{ perSecond: around(100, 9), ratio: around(ratio, 0.2), cpu: around(400, 90) },
    ...{ cpuRatio: around(ratio, 0.01), storageCpu: around(40, 1), statements: 2 },
    ...more,
  }
}

function file(figures: readonly Figures[], alg = 'ES256'): BenchFile {
  return { bench: BENCH_VERSION, machine: 'a machine', options: { alg }, figures }
}

const verdicts = (before: Figures, after: Figures) =>
  Object.fromEntries(
    changes(file([before]), file([after])).map(({ measure, verdict }) => [measure, verdict]),
  )

describe('the benchmark: --compare', () => {
  it('says what is better, what is worse, and what the noise explains', () => {
    const same = 'within the noise'
    const measured = (ratio: string, storage: string, statements: string) => ({
      ...{ 'cpu ratio': ratio, 'storage µs': storage, statements },
    })
    expect(verdicts(figure(0.8), figure(0.8))).to.eql(measured(same, same, same))
    expect(verdicts(figure(0.8), figure(0.9))).to.eql(measured('better', same, same))
    expect(verdicts(figure(0.9), figure(0.8))).to.eql(measured('worse', same, same))
    const less = { storageCpu: around(20, 1), statements: 1 }
    expect(verdicts(figure(0.8), figure(0.8, less))).to.eql(measured(same, 'better', 'better'))
    expect(verdicts(figure(0.8, less), figure(0.8))).to.eql(measured(same, 'worse', 'worse'))
  })

  it('takes intervals that meet for noise, and a certain difference that two runs may have', () => {
    const wide = { cpuRatio: around(0.8, 0.06) }
    expect(verdicts(figure(0.9), figure(0.8, wide))['cpu ratio']).to.equal('worse')
    expect(verdicts(figure(0.85), figure(0.8, wide))['cpu ratio']).to.equal('within the noise')
    const narrow = { cpuRatio: around(0.815, 0.0001) }
    expect(
      verdicts(figure(0.8, { cpuRatio: around(0.8, 0.0001) }), figure(0.8, narrow)),
    ).to.include({
      'cpu ratio': 'within the noise',
    })
  })

  it('says nothing of what is unknown, or in one of the files alone', () => {
    const unknown = figure(0.8, { storageCpu: 'unknown', statements: undefined })
    expect(Object.keys(verdicts(unknown, figure(0.8)))).to.eql(['cpu ratio'])
    expect(verdicts(figure(0.8, { connections: 1 }), figure(0.8))).to.eql({})
  })

  it('refuses files that cannot be compared, in words', async () => {
    expect(() => changes(file([], 'ES384'), file([]))).to.throw('--alg ES384 and ES256')
    const folder = await mkdtemp(join(tmpdir(), 'impersonation-compare-'))
    const refused = async (name: string, content: string, reason: string) => {
      await writeFile(join(folder, name), content)
      const error = await readBenchFile(join(folder, name)).catch((failure) => failure)
      expect(String(error)).to.include(join(folder, name)).and.to.include(reason)
    }
    try {
      const old = { options: { alg: 'ES256' }, figures: [] }
      await refused('old', JSON.stringify(old), 'written by version 1 of this benchmark')
      await refused('newer', JSON.stringify({ ...old, bench: 99 }), 'by version 99')
      await refused('soak', JSON.stringify({ ...file([]), figures: undefined }), 'has no figures')
      for (const content of ['', '{', 'null', '{}', '[]']) {
        await refused('other', content, 'is no file of this benchmark')
      }
      const missing = await readBenchFile(join(folder, 'missing')).catch((failure) => failure)
      expect(String(missing)).to.include('cannot be read: ENOENT')
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('compares two files without measuring, and tells mistakes in words', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'impersonation-compare-'))
    const [before, after] = [join(folder, 'before.json'), join(folder, 'after.json')]
    try {
      await writeFile(before, JSON.stringify(file([figure(0.8)])))
      await writeFile(after, JSON.stringify(file([figure(0.9)])))
      const { stdout } = await bench('--compare', before, after)
      expect(stdout).to.match(/redis +32 +exchange +cpu ratio +0\.800 +0\.900 +12\.5 % +better/)

      for (const [args, reason] of [
        [['--compare', join(folder, 'none.json')], 'cannot be read: ENOENT'],
        [['--storage', 'mysql'], '--storage mysql: must be one of memory, sqlite, redis, postgres'],
        [['--rounds', '3'], '--rounds 3: fewer than 7'],
        [['--rounds', 'x'], '--rounds: x is no count'],
        [['--processes', '2', '--storage', 'sqlite'], 'on redis or postgres, not on sqlite'],
        [['--soak', '--live'], '--soak and --live: one measurement at a time'],
        [['--soak', '--compare', before], '--compare does not go with --soak'],
        [['before.json'], 'before.json: no option takes it'],
      ] as const) {
        const { code, stderr } = await bench(...args)
        expect(code, args.join(' ')).to.equal(1)
        expect(stderr).to.include(reason).and.not.to.include('    at ')
      }
      const help = await bench('--help')
      expect(help.code).to.equal(0)
      for (const name of ['--compare', '--processes', '--soak', '--starts', '--json']) {
        expect(help.stdout).to.include(name)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('says which storage cannot be used', async () => {
    const { code, stderr } = await bench(...['--soak', '--storage', 'postgres'], {
      POSTGRES_URL: 'postgres://127.0.0.1:1/none',
    })
    expect(code).to.equal(1)
    expect(stderr)
      .to.match(/^postgres cannot be used: .*ECONNREFUSED/m)
      .and.not.to.include('    at ')
  })
})

async function bench(...args: ReadonlyArray<string | Record<string, string>>) {
  const texts = args.filter((arg) => typeof arg === 'string')
  const env = Object.assign({ ...process.env }, ...args.filter((arg) => typeof arg === 'object'))
  const run = promisify(execFile)(
    process.execPath,
    [join(CHECKOUT_ROOT, 'bench', 'main.ts'), ...texts],
    {
      env,
    },
  )
  return run.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({
      code: Number(code),
      stdout: String(stdout),
      stderr: String(stderr),
    }),
  )
}
