import type { Configuration } from 'oidc-provider'

/** Self-signed, without the private keys: the provider only compares certificates. */
export const certificate = `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUMbW7TWrjiy9QWENwZS2daGXqkG0wCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGdGVzdC1hMCAXDTI2MTEyMDE3NDAwMFoYDzIxMjYxMDI3MTc0
MDAwWjARMQ8wDQYDVQQDDAZ0ZXN0LWEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AASkLvji10a/LaMwrxx2UG/BO9zX+ern+s7Zp/jCc2tl2BTh9V1/Dsnh17S6USF8
LuPcO3zqCXspclhOkbt1f09Co1MwUTAdBgNVHQ4EFgQUrzgVJP+Zw9Au81CuF6+w
52fY3s4wHwYDVR0jBBgwFoAUrzgVJP+Zw9Au81CuF6+w52fY3s4wDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAmzvHIt6y/xncwUA9D8YdF8Xv+yTl
iYbqz78cwMkfw4ACIGHMoBvXz0//hFF5wirtYdpxv2ro1w0tvZ2o8cj9s6n3
-----END CERTIFICATE-----`

export const otherCertificate = `-----BEGIN CERTIFICATE-----
MIIBejCCAR+gAwIBAgIUK5ozCP6NpTNi8K02t3Z9QphbrrIwCgYIKoZIzj0EAwIw
ETEPMA0GA1UEAwwGdGVzdC1iMCAXDTI2MTEyMDE3NDAwMFoYDzIxMjYxMDI3MTc0
MDAwWjARMQ8wDQYDVQQDDAZ0ZXN0LWIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AATpwntZwZeoaAmytO+2mXiZfH9I/Nxx7iPjLyKpCDSeKoDLkEhZmZmRgcvEjGNp
a6osqDSc83y3OxBnZdSy1YVko1MwUTAdBgNVHQ4EFgQUUXxTE4o70jNvb0vfZp76
JzMod58wHwYDVR0jBBgwFoAUUXxTE4o70jNvb0vfZp76JzMod58wDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNJADBGAiEA/u9prALLzRbxFgJa4ud6xPMtSIw8
e+meHcO+VvD8jB8CIQCskYG/0tSJaHV+lY/a6cCGc1/N2i5jNb3ygJx24zlFGA==
-----END CERTIFICATE-----`

/**
 * A provider that binds tokens to certificates.
 *
 * @param shown the certificate that the caller shows now
 */
export const bindsToCertificates = (shown: () => string | undefined) =>
  ({
    mTLS: { enabled: true, certificateBoundAccessTokens: true, getCertificate: shown },
  }) satisfies Configuration['features']
