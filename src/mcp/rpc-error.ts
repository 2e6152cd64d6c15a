import { httpError } from '../http/errors.ts'

/** A refusal with a code that its status does not tell. */
export interface RpcError extends Error {
  rpcCode: number
  rpcData?: unknown
}

export const rpcError = (status: number, code: number, message: string, data?: unknown): RpcError =>
  Object.assign(httpError(status, message), {
    rpcCode: code,
    ...(data !== undefined && { rpcData: data }),
  })
