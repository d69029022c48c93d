import type { Mutants } from './support.ts'

const NOTICED_BY = 'refuses a change'

export const schemaMutants: Mutants = {
  'changed tables that are opened': [() => ({ open: async () => {} }), NOTICED_BY],
  'changed tables that are exported': [() => ({ assertSchema: async () => {} }), NOTICED_BY],
  'changed tables that look like trouble of the storage': [
    (sound) => ({
      assertSchema: () =>
        sound.assertSchema().catch((cause: unknown) => {
          throw new Error('the storage fails', { cause })
        }),
    }),
    NOTICED_BY,
  ],
}
