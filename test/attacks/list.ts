import type { Attack } from './attack.ts'
import { betweenProjects } from './between-projects.ts'
import { budgets } from './budgets/budgets.ts'
import { functions } from './budgets/functions.ts'
import { protocolClean } from './protocol-clean.ts'
import { protocolContinuity } from './protocol-continuity.ts'
import { protocolCrossed } from './protocol-crossed.ts'
import { canaries } from './canaries.ts'
import { conformance, conformanceWhole } from './conformance.ts'
import { foreignWrites, nextStays, stolenCookies } from './console-gate.ts'
import { plantedMarkup } from './console-markup.ts'
import { endpointDoors } from './endpoint-doors.ts'
import { floods } from './floods.ts'
import { idleConnections } from './idle-connections.ts'
import { forbiddenAddresses } from './forbidden-addresses.ts'
import { hostilePages } from './hostile-pages.ts'
import { names } from './names.ts'
import { questions } from './questions.ts'
import { routesWithoutKey } from './routes-without-key.ts'
import { wrongKeys } from './wrong-keys.ts'

export const attacks: readonly Attack[] = [
  conformance,
  conformanceWhole,
  protocolClean,
  protocolCrossed,
  protocolContinuity,
  endpointDoors,
  routesWithoutKey,
  wrongKeys,
  canaries,
  names,
  questions,
  betweenProjects,
  nextStays,
  foreignWrites,
  stolenCookies,
  plantedMarkup,
  forbiddenAddresses,
  hostilePages,
  floods,
  idleConnections,
  budgets,
  functions,
]
