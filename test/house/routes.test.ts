import { expect, test } from 'vitest'
import { openHouse } from '../helpers/house.ts'

test('the routes are a closed list', async () => {
  await using house = await openHouse()
  await expect(house.app.app.printRoutes({ commonPrefix: false })).toMatchFileSnapshot('routes.txt')
})
