import Foundation
import Testing
import WaymarkCrypto

/// Keys and their signatures over "waymark" by python3-cryptography 38.0.4 and OpenSSL 3.0.19: DER in base64, signatures as JWS has them.
enum Vectors {
  static let message = Array("waymark".utf8)

  /// The bytes of base64 in lines.
  static func bytes(_ text: String) -> [UInt8] {
    Array(Data(base64Encoded: text.filter { !$0.isWhitespace }) ?? Data())
  }

  /// The bytes of hexadecimal digits.
  static func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }

  /// The bytes of base64 as URLs have it.
  static func url(_ text: String) -> [UInt8] {
    let standard = text.replacing("-", with: "+").replacing("_", with: "/")
    return bytes(standard + String(repeating: "=", count: (4 - text.count % 4) % 4))
  }

  static let p256PKCS8 = """
    MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgjyR7RJicYUggjgyap4/RWtHbDWH2j0FPzCxHGmciFdShRANCAARrNt6n
    5HiJd3r4XO3xsKxeZWCHgS57LLClRFHEspOfzHrB4Bgj49hydvQoETKpYVzGJB9ZkE+KcoQlYYJJxCu4
    """
  static let p256SEC1 = """
    MHcCAQEEII8ke0SYnGFIII4MmqeP0VrR2w1h9o9BT8wsRxpnIhXUoAoGCCqGSM49AwEHoUQDQgAEazbep+R4iXd6+Fzt8bCsXmVgh4Eu
    eyywpURRxLKTn8x6weAYI+PYcnb0KBEyqWFcxiQfWZBPinKEJWGCScQruA==
    """
  static let p256Public = """
    MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEazbep+R4iXd6+Fzt8bCsXmVgh4EueyywpURRxLKTn8x6weAYI+PYcnb0KBEyqWFcxiQf
    WZBPinKEJWGCScQruA==
    """
  static let p256Signature = """
    eM7lbHOBFPcNnEZvjXivaPgi5hUkDiRX6Bo+ElrVm2Hv1FOf+/6QZCrpfFSUp1Nz+DKmAjH8zzJAHqVDUKZnkg==
    """
  static let p256Compressed = """
    MDkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDIgACazbep+R4iXd6+Fzt8bCsXmVgh4EueyywpURRxLKTn8w=
    """
  static let p256Explicit = """
    MIIBaAIBAQQgjyR7RJicYUggjgyap4/RWtHbDWH2j0FPzCxHGmciFdSggfowgfcCAQEwLAYHKoZIzj0BAQIhAP////8AAAABAAAAAAAA
    AAAAAAAA////////////////MFsEIP////8AAAABAAAAAAAAAAAAAAAA///////////////8BCBaxjXYqjqT57PrvVV2mIa8ZR0GsMxT
    sPY7zjw+J9JgSwMVAMSdNgiG5wSTamZ44ROdJreBn36QBEEEaxfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpZP40Li/hp/m47n
    60p8D54WK84zV2sxXs7LtkBoN79R9QIhAP////8AAAAA//////////+85vqtpxeehPO5ysL8YyVRAgEBoUQDQgAEazbep+R4iXd6+Fzt
    8bCsXmVgh4EueyywpURRxLKTn8x6weAYI+PYcnb0KBEyqWFcxiQfWZBPinKEJWGCScQruA==
    """
  static let p384PKCS8 = """
    MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBg3ToZs47KCPkjc3o8m/TpOeWabkouDutzGbOlKuebpWSm63AmajpDW92Y
    IOoknr2hZANiAAR33wBrf3/ayadRjHSsoFfPXpX+bccxrqjbUJ6oDHjzXbvAJGEqgDAO1sf/bfrryKtYVjkFeRSOC34075zxR5k6d7NL
    Kvs7ZN42HNy89Txj1mX+Fwh52UQsgb5bg72E/Vc=
    """
  static let p384SEC1 = """
    MIGkAgEBBDBg3ToZs47KCPkjc3o8m/TpOeWabkouDutzGbOlKuebpWSm63AmajpDW92YIOoknr2gBwYFK4EEACKhZANiAAR33wBrf3/a
    yadRjHSsoFfPXpX+bccxrqjbUJ6oDHjzXbvAJGEqgDAO1sf/bfrryKtYVjkFeRSOC34075zxR5k6d7NLKvs7ZN42HNy89Txj1mX+Fwh5
    2UQsgb5bg72E/Vc=
    """
  static let p384Public = """
    MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAEd98Aa39/2smnUYx0rKBXz16V/m3HMa6o21CeqAx48127wCRhKoAwDtbH/23668irWFY5BXkU
    jgt+NO+c8UeZOnezSyr7O2TeNhzcvPU8Y9Zl/hcIedlELIG+W4O9hP1X
    """
  static let p384Signature = """
    pv8K9uJiLMWkuiieqUlmtAs9GvjBh164vxXMljbviKR8XDZB9cK/clgoJswPYBc3dG6rR9jgMr9sA8YJudwmZyhFw4ESwp/k23hDdSRA
    +v1z19qbM7bo2PWupH5Ef906
    """
  static let p521PKCS8 = """
    MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIBGb5WGole5DsxKzCygSYgTeLqM/qE7AkVnaoIcznOXNlWFl0i04pLJcyy
    HgZJ6lwda1IM98J8JXYBYp1VVEGv5G6hgYkDgYYABAER0Ldb7hLInUe2oDHpxkowYoEabP/QAhtxvVv83JkaErymyn3bHOlC66+Z5kpm
    cLcDkqNXxRbotg0Z5c3CGG6JjgFn6M1XN9h/0H+nq8qJDSif4hWk9wttHAxPeLlzsnZQaq5+4AjbN+MiyO0oAhhv+g202DtOULJ1mo9h
    sV+7Q9BXkg==
    """
  static let p521SEC1 = """
    MIHcAgEBBEIBGb5WGole5DsxKzCygSYgTeLqM/qE7AkVnaoIcznOXNlWFl0i04pLJcyyHgZJ6lwda1IM98J8JXYBYp1VVEGv5G6gBwYF
    K4EEACOhgYkDgYYABAER0Ldb7hLInUe2oDHpxkowYoEabP/QAhtxvVv83JkaErymyn3bHOlC66+Z5kpmcLcDkqNXxRbotg0Z5c3CGG6J
    jgFn6M1XN9h/0H+nq8qJDSif4hWk9wttHAxPeLlzsnZQaq5+4AjbN+MiyO0oAhhv+g202DtOULJ1mo9hsV+7Q9BXkg==
    """
  static let p521Public = """
    MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQBEdC3W+4SyJ1HtqAx6cZKMGKBGmz/0AIbcb1b/NyZGhK8psp92xzpQuuvmeZKZnC3A5Kj
    V8UW6LYNGeXNwhhuiY4BZ+jNVzfYf9B/p6vKiQ0on+IVpPcLbRwMT3i5c7J2UGqufuAI2zfjIsjtKAIYb/oNtNg7TlCydZqPYbFfu0PQ
    V5I=
    """
  static let p521Signature = """
    AJNzuaO1ubilxY9r3JmJ8M0pC+yebQvDwjwCm6CThWakRVc80Sl7a1fEHdx1Y7ySIiOfkcpPvsqBkOOKCCUEs/heAItn+6jNOiOlpm/0
    ZsEhhTd9LK4S40yq7y5ofHYe8eA0LVra5/WXYK5cxqt8Wz/f4RQ9WEuXRK66BEAOPgayCf7o
    """
  static let secp256k1PKCS8 = """
    MIGEAgEAMBAGByqGSM49AgEGBSuBBAAKBG0wawIBAQQgFWh/C5HGs+GeywwLDGG279r6t6Th627w55Dh/gFB6tOhRANCAASxt7StS3LL
    USJOrblY3SiMWY+cL/7ZMzQoG/pFQscu5ofpsyHLU/xHf3VVWhq3tFZV+P0tGvfjbYPvjT+cAgIk
    """
  static let secp256k1SEC1 = """
    MHQCAQEEIBVofwuRxrPhnssMCwxhtu/a+rek4etu8OeQ4f4BQerToAcGBSuBBAAKoUQDQgAEsbe0rUtyy1EiTq25WN0ojFmPnC/+2TM0
    KBv6RULHLuaH6bMhy1P8R391VVoat7RWVfj9LRr3422D740/nAICJA==
    """
  static let secp256k1Public = """
    MFYwEAYHKoZIzj0CAQYFK4EEAAoDQgAEsbe0rUtyy1EiTq25WN0ojFmPnC/+2TM0KBv6RULHLuaH6bMhy1P8R391VVoat7RWVfj9LRr3
    422D740/nAICJA==
    """
  static let secp256k1Signature = """
    EhSUYjeNZjO+N38xfLmCOHJyCbT9WdIUhdPhnc7dKvsDMdBve5nHONGF6ubTou4CB3fI1cpas8FzF/BBTfD7hw==
    """
  static let ed25519PKCS8 = """
    MC4CAQAwBQYDK2VwBCIEILwRFAOPaEx3TDmY33SMYAVCbHr9aSN6DeKCC92aSeP/
    """
  static let ed25519Public = """
    MCowBQYDK2VwAyEAxay0bwGJEDNd3Lmyx2J5v0+CO0y6ZTWDAaAb1hUQX5c=
    """
  static let ed25519Signature = """
    igi94ztdd6eHbDc00B1IZztXadYJbY2TFh7QHSYRdbp2ESqxB05A3U5XoITmnFXyCMW2Nq7p2Qrbn7gNb7CaBA==
    """
  static let x25519PKCS8 = """
    MC4CAQAwBQYDK2VuBCIEIEDhm5BCp6hTYnFUz8wDpitCbzrLH2q60STI4bpvNiZp
    """
  static let x25519Public = """
    MCowBQYDK2VuAyEAbKh1zV1Fcr3Eyj7vBd3oLGLfyjpRZ39P/39f4oqmHTs=
    """
  static let rsaPKCS8 = """
    MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQCmf8pxdC4P6TiCyQvo/6H5DDNP7zJdapJBVKCjFA9BaLTfJ1LM9B1n
    2DPQGc0GFaiU/4rBKE4W1wcPs0quukBpp83ExZb3WaiFkU6S6YEZrsRSGjBkIJ95yEIYkig7BGzpbbrvP/Mla9bZBv2L//mWaWhffDRj
    HeCjLicOtFEuI4Nzkn+S4uymX05BPTh2YqdLnJUL0ZsvIqIHnc/3qsqQx1cY0V9l7nKtQN+ezdIhPpT0spmRsjJ5L6TzC8w3eaI2uIx6
    oAB7KfVmGqNGEMIgrnFeO8K1tkpmvvrludcNF8Hz9H1YKk1g9RGh5sycqfjlXKwnmOA+y6NAYO/a7ogxAgMBAAECggEAFLctnvQPjxc7
    Wrpc6v5zTqM/9yARqiHKVKqM2f1y8HZwmpsv6CQvTG5P9AJhyfID6ZXp06KKJLlYPZHXJuoxfXPNXEAhSmEzYHr1xb2bvHBMKNLtVmfg
    r6xE3P3CV6VzT4/BhGb2f59tOc9u2G5exWIUBF1Vv0dGXccuQNwahZzeKKNjAs2MOeky874R6Z37w6+kC2P+XSMl8yceHNkEwkQlbnhM
    rJlo0XvuhjS8TSLXxG0irkIvM9oVzC8ng9mkgTxBS1EzxwIb5aEmECEjbmO98aGDNuklvcQGXoFpKAfUXLdtyXIMpZAsfQeo6NKyHUXv
    Xw7AVAU+Ow9QBNB4yQKBgQDTVEk4u2UqtANAG6hDPEhVHU8H4DIxCsFZA6vDz3RNS0wLkLy7uOjUsDivay1WiACiY4miu0/8bh7n8WBC
    qYZXQ9whtXhOWBbOpzjvoVVgEbpRS5qu9dgR2qGsrqFA4P9Z5wqEAD/9qAGKb4eVLu7lIiDth8MGZdo+dO77a4mmOwKBgQDJsZqqTBO7
    z2ckaHw6nwL7aekYCEUg5FkmqL0zRvHvAkQ8kWHWMdKmH4srrSa28Lyx2ihtV/Uo2x1+9dXeOnbkYgpdGFaA9v+4bflCE6V7kQUxrIw0
    MwQQRPq0C8bn4ZgMe89VrpKGvWI6PVsS/ppFTlCCIA0gZoz7jApQu/vogwKBgQC1lfIIznUCeYVle55cj5rzj+iNsuZN35j9nLrl2Qdt
    NysTsP2LLDrcLsO2b5iYhupMnszwSJVVKWZjFLQK89HcgBHR4TWL1ANc9LFmrrFGiFUZb6Zteg98X+mWEMO8lNi1bmJJxFE36znPsz/E
    P3zE5Et47rP0dmZOTnnfDatMawKBgEXBgSZozWJlJtz2rhBwMk3VoWJIafAoSZUPQvBbFw18kTEJbvbvoFUID8/5QKyAsiIou1al1wpc
    TeU9DMyhF8GBDuiHpFNSGbslfdGWjeMgktVNQehDxKID2VkvwYktArM+lsShbdff4/sUgU0edSiHH10BzMhp71SIaIDnowYVAoGADIIL
    G2AkbO8+gxHAKrPVaIiv65PnQ184VZ/5VzrPE8pNEOphg5wM36vurh8T0TZg9W3DvPKkS3yNsLQQNOEGFMO7ccMOWhIHo+bMNLyJqDjI
    wF+/4F/Qvy8JaFRlCkOJvVYb837g3A/RXSXVUwgiwdX1MuloYSXhrEVfUmR3nmI=
    """
  static let rsaPKCS1 = """
    MIIEowIBAAKCAQEApn/KcXQuD+k4gskL6P+h+QwzT+8yXWqSQVSgoxQPQWi03ydSzPQdZ9gz0BnNBhWolP+KwShOFtcHD7NKrrpAaafN
    xMWW91mohZFOkumBGa7EUhowZCCfechCGJIoOwRs6W267z/zJWvW2Qb9i//5lmloX3w0Yx3goy4nDrRRLiODc5J/kuLspl9OQT04dmKn
    S5yVC9GbLyKiB53P96rKkMdXGNFfZe5yrUDfns3SIT6U9LKZkbIyeS+k8wvMN3miNriMeqAAeyn1ZhqjRhDCIK5xXjvCtbZKZr765bnX
    DRfB8/R9WCpNYPURoebMnKn45VysJ5jgPsujQGDv2u6IMQIDAQABAoIBABS3LZ70D48XO1q6XOr+c06jP/cgEaohylSqjNn9cvB2cJqb
    L+gkL0xuT/QCYcnyA+mV6dOiiiS5WD2R1ybqMX1zzVxAIUphM2B69cW9m7xwTCjS7VZn4K+sRNz9wlelc0+PwYRm9n+fbTnPbthuXsVi
    FARdVb9HRl3HLkDcGoWc3iijYwLNjDnpMvO+Eemd+8OvpAtj/l0jJfMnHhzZBMJEJW54TKyZaNF77oY0vE0i18RtIq5CLzPaFcwvJ4PZ
    pIE8QUtRM8cCG+WhJhAhI25jvfGhgzbpJb3EBl6BaSgH1Fy3bclyDKWQLH0HqOjSsh1F718OwFQFPjsPUATQeMkCgYEA01RJOLtlKrQD
    QBuoQzxIVR1PB+AyMQrBWQOrw890TUtMC5C8u7jo1LA4r2stVogAomOJortP/G4e5/FgQqmGV0PcIbV4TlgWzqc476FVYBG6UUuarvXY
    EdqhrK6hQOD/WecKhAA//agBim+HlS7u5SIg7YfDBmXaPnTu+2uJpjsCgYEAybGaqkwTu89nJGh8Op8C+2npGAhFIORZJqi9M0bx7wJE
    PJFh1jHSph+LK60mtvC8sdoobVf1KNsdfvXV3jp25GIKXRhWgPb/uG35QhOle5EFMayMNDMEEET6tAvG5+GYDHvPVa6Shr1iOj1bEv6a
    RU5QgiANIGaM+4wKULv76IMCgYEAtZXyCM51AnmFZXueXI+a84/ojbLmTd+Y/Zy65dkHbTcrE7D9iyw63C7Dtm+YmIbqTJ7M8EiVVSlm
    YxS0CvPR3IAR0eE1i9QDXPSxZq6xRohVGW+mbXoPfF/plhDDvJTYtW5iScRRN+s5z7M/xD98xORLeO6z9HZmTk553w2rTGsCgYBFwYEm
    aM1iZSbc9q4QcDJN1aFiSGnwKEmVD0LwWxcNfJExCW7276BVCA/P+UCsgLIiKLtWpdcKXE3lPQzMoRfBgQ7oh6RTUhm7JX3Rlo3jIJLV
    TUHoQ8SiA9lZL8GJLQKzPpbEoW3X3+P7FIFNHnUohx9dAczIae9UiGiA56MGFQKBgAyCCxtgJGzvPoMRwCqz1WiIr+uT50NfOFWf+Vc6
    zxPKTRDqYYOcDN+r7q4fE9E2YPVtw7zypEt8jbC0EDThBhTDu3HDDloSB6PmzDS8iag4yMBfv+Bf0L8vCWhUZQpDib1WG/N+4NwP0V0l
    1VMIIsHV9TLpaGEl4axFX1Jkd55i
    """
  static let rsaPublic = """
    MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEApn/KcXQuD+k4gskL6P+h+QwzT+8yXWqSQVSgoxQPQWi03ydSzPQdZ9gz0BnN
    BhWolP+KwShOFtcHD7NKrrpAaafNxMWW91mohZFOkumBGa7EUhowZCCfechCGJIoOwRs6W267z/zJWvW2Qb9i//5lmloX3w0Yx3goy4n
    DrRRLiODc5J/kuLspl9OQT04dmKnS5yVC9GbLyKiB53P96rKkMdXGNFfZe5yrUDfns3SIT6U9LKZkbIyeS+k8wvMN3miNriMeqAAeyn1
    ZhqjRhDCIK5xXjvCtbZKZr765bnXDRfB8/R9WCpNYPURoebMnKn45VysJ5jgPsujQGDv2u6IMQIDAQAB
    """
  static let rsaPublicPKCS1 = """
    MIIBCgKCAQEApn/KcXQuD+k4gskL6P+h+QwzT+8yXWqSQVSgoxQPQWi03ydSzPQdZ9gz0BnNBhWolP+KwShOFtcHD7NKrrpAaafNxMWW
    91mohZFOkumBGa7EUhowZCCfechCGJIoOwRs6W267z/zJWvW2Qb9i//5lmloX3w0Yx3goy4nDrRRLiODc5J/kuLspl9OQT04dmKnS5yV
    C9GbLyKiB53P96rKkMdXGNFfZe5yrUDfns3SIT6U9LKZkbIyeS+k8wvMN3miNriMeqAAeyn1ZhqjRhDCIK5xXjvCtbZKZr765bnXDRfB
    8/R9WCpNYPURoebMnKn45VysJ5jgPsujQGDv2u6IMQIDAQAB
    """
  static let rsaSignature256 = """
    lxT3vEishE1B2ULSu+JHnPK0ozTV9Kmc1S6CNpp7YBjXZc4GvmiT44FdGHA9g/n0AScWSXbPF8wKm8mcPNvATNqS/M9630Gu1mSGmP5q
    TSTPbwdOeqLhpxpBzbanteb1nbTfWQJz2twhf//2gR/of+dMnTkPDJEVjwil9hgr17H1W07sNIE8cCr4iJ1wWD7CEdL57t9ujIwmDGOT
    ljPmIu/tERhi4UEomY7joNze63+gLVUL5hGAAP2/KvO1pTV9JjJSGaCEL1Aiz+G767mUgIyFatvaY09ffTa7AA4rr5RjihPVQo3sDkbT
    IjjQBYV1HRq4VEOuBWn1YSPOCSEB2w==
    """
  static let rsaSignature384 = """
    HoK+ymRiYHGOnDOMP/l3IwJ6FmFZxLsenTOHTnS8W30zgxexVrGAj/3fIkBSR0qDv24fcsIjkdoUjH4N9ocv/leBXP47CvHIMlSMeXfm
    6y9wKWpEG3nqEIs8qRxS17KTtE3h1WtdwldWtbOJVP9ZrOPvjrw1OBW9umgn4EBS1fxp6usYEGrTDzUJQkdOryFAsavdEk7JBde1xHxE
    YV7t7qOxBaU41XX1er2gAXUa1rfRI/aqKAgLWr/wNXgukj7qThgz3pY8eaxIwCtWZk4iGNZaCgnvZ8zJDn2GdjU5qAl2h5vYmX+1OEs5
    GsumBBj08gPdk0uMwg5ibL3jXNsPsg==
    """
  static let rsaSignature512 = """
    ojnX80NZHGaL4KpZD8Deka9J/wmziEbku/+rt00C4m9Pc+1ke42jaoz19eqQdPYYh0iGkq2xWGsqoJdtJsKL8K04taI1Pk2K6/TUc2bY
    zrqniGzcRPSqCpaHSV/+0Q5dFKfhuOa32D4qmqC/L+cnZC5T6cBbcVtsIx0i6+TZXpLwU0kHba4vG0BDpjrE1ECHvXPIFbtSoNMSX9JD
    2EKgKxtXyJZAc4LuHEtVKBZUFMic8cPe/ZIbFQYXpKZAAI0RtupLxmLfISxWmbi13L/Y3US3aGnhdcXqfvT0f/LYwLLhVFyCJPnXuBJa
    L/U6rB4GQvSbWtX4Xzh5egGGrgdDzQ==
    """
  static let rsaPSSSignature = """
    VKFQA13dua1mZLDg3Ph39h6TIzm22p0GuKTWEPCp4yjUj2zQttE4uHdsHEBpHlzaDXapAmAD4gd09gUiiJtOr1lQFEdWpyiv+FN+6ijn
    EOAb29qlgKzdRhEAYHvPr9/CzzQEbZUU+QUJVnCN1NWwBOtJsSHH/mLeaYDlIxPWc/cyt/ZvV2YNjZsNp2Zr+tgXb75jmh6ZABrZ6gbl
    RHiZ8xuyBjiAjP+uDjKqaVdyuVpYfE9K1aTT0gBlWJkpiE31FCXndERFvlFuUmiSo5woSrOpKONsfVky4dAQ0LQbLvDokrt8GdiSvVnj
    h4ss1CxKSfgbBkdkAZOICv8O7hRjcQ==
    """
  static let rsa1024PKCS8 = """
    MIICdgIBADANBgkqhkiG9w0BAQEFAASCAmAwggJcAgEAAoGBALaW3DYR2zjPOYgMZzBgr43T4PsgfyrPTZhGWCjO6rzGi+y23LfWAMZ0
    ZzLD8qiUK8c2ELDTogFWP9lKjdoJIHvv3+vFYxgoXVqIpfpnB4NF1MGgVfVIi1Yiu9nk1JbChxjhPxnGVOnLmcNu5KhmhinONeh1zhjo
    ZxhcY50AgNtRAgMBAAECgYAJtlCUV7LPfMZUpERA4IO2CZUoBnx9LHW2Kde6o/b8f5slxjxLUwjLhZmPq7iWmvsRJ6EPptIxPAM9bafJ
    9z5RAjKbdQ+l7OFvgNsOWBn/aFt+VakO3wWB5GjpJRYRGsI8b6lEU3myH4SmL63pxH26PpcsRFnrWqYf98zRWqigAQJBAPMpSE6fsBYR
    EoSLA79/IsMOIuLnu/BKxFvCqW40dLG1RVCfIutMCsO1VGLqq461likxqnw7L6RpESQ9vb+SZFECQQDAOtmJoPc76PeCFNqEQg+OwNdZ
    KSeRNhMIIEpQM9+eTpS189RuyZktScxJglOdiw07dR/mnREsYkwbvmN6XEcBAkEA24TwZzKYyEMfYZMSjiXbnxY6/nfQXk1RWbmyNfCb
    TPdmHTOdVajvquEfzrEmsg5TAtt4mvDfwOCtffdTPwiNEQJAYqaQ90mNN8iyJKbREajZVRhwK8isDqCimbwAhzJn41VOiiYs8gIxwwUp
    etwQTzyKOOY9zdrzckSr7F0DrkrnAQJAEkg7FZ/99NNrsetHfcaYRJvuO83CqmvM+3EghycBM3VATaaUTMmfY+tmlxKdJgVRnZq792kR
    gs+gj7dQRGpgPw==
    """
  static let rsa1024Public = """
    MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC2ltw2Eds4zzmIDGcwYK+N0+D7IH8qz02YRlgozuq8xovstty31gDGdGcyw/KolCvH
    NhCw06IBVj/ZSo3aCSB779/rxWMYKF1aiKX6ZweDRdTBoFX1SItWIrvZ5NSWwocY4T8ZxlTpy5nDbuSoZoYpzjXodc4Y6GcYXGOdAIDb
    UQIDAQAB
    """
}

@Suite("Published signatures")
struct SignatureVectorTests {
  @Test(
    "Ed25519: RFC 8032, section 7.1",
    arguments: [
      (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe"
          + "24655141438e7a100b"
      ),
      (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302a"
          + "eeb00d291612bb0c00"
      ),
      (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed2"
          + "8dc027beceea1ec40a"
      ),
    ])
  func ed25519(_ seed: String, _ point: String, _ message: String, _ signature: String) throws {
    let key = try PrivateKey(der: Vectors.hex("302e020100300506032b657004220420" + seed))
    #expect(key.kind == .ed25519)
    #expect(key.publicKey.numbers == .encoded(Vectors.hex(point)))
    #expect(try key.sign(Vectors.hex(message), hash: nil) == Vectors.hex(signature))
    let publicKey = try PublicKey(.ed25519, .encoded(Vectors.hex(point)))
    #expect(publicKey.isSignature(Vectors.hex(signature), of: Vectors.hex(message), hash: nil))
    #expect(!publicKey.isSignature(Vectors.hex(signature), of: [0], hash: nil))
    // S + L is the same number to arithmetic, and refused (RFC 8032, 5.1.7).
    #expect(!publicKey.isSignature(Self.plusOrder(Vectors.hex(signature)), of: Vectors.hex(message), hash: nil))
  }

  /// The signature with the order of the group added to its second half.
  private static func plusOrder(_ signature: [UInt8]) -> [UInt8] {
    let order = Array(Vectors.hex("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed").reversed())
    var (result, carry) = (signature, 0)
    for index in 0..<32 {
      let sum = Int(signature[32 + index]) + Int(order[index]) + carry
      result[32 + index] = UInt8(sum & 0xFF)
      carry = sum >> 8
    }
    return result
  }

  private static let payload =
    "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

  @Test("RS256: RFC 7515, A.2")
  func rs256() throws {
    let modulus = Vectors.url(
      "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEzP1Pt0Bm4d4QlL-yRT-SFd2lZ"
        + "S-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdbBYUsLA9e-KXBdQOS-UTo7WTBEMa2"
        + "R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NAco9_h9iaGNj8q2ethFkMLs91kzk2PAcD"
        + "TW9gb54h4FRWyuXpoQ")
    let signature = Vectors.url(
      "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU"
        + "Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d"
        + "O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig"
        + "cN_IoypGlUPQGe77Rw")
    let key = try PublicKey(.rsa, .rsa(modulus: [0] + modulus, exponent: [1, 0, 1]))
    #expect(key.numbers == .rsa(modulus: modulus, exponent: [1, 0, 1]))
    let message = Array("eyJhbGciOiJSUzI1NiJ9.\(Self.payload)".utf8)
    #expect(key.isSignature(signature, of: message, hash: .sha256))
    #expect(!key.isSignature(signature, of: message, hash: .sha512))
    #expect(!key.isSignature([0] + signature, of: message, hash: .sha256))
    #expect(!key.isSignature(signature.dropLast(), of: message, hash: .sha256))
  }

  @Test("ES256: RFC 7515, A.3")
  func es256() throws {
    let x = Vectors.url("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU")
    let y = Vectors.url("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0")
    let number = Vectors.url("jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI")
    let signature = Vectors.url(
      "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q")
    let key = try PublicKey(.p256, .point(x: x, y: y))
    let message = Array("eyJhbGciOiJFUzI1NiJ9.\(Self.payload)".utf8)
    #expect(key.isSignature(signature, of: message, hash: .sha256))
    // SEC 1 without curve and point: both follow from the number.
    let secret = try PrivateKey(der: [0x30, 0x25, 0x02, 0x01, 0x01, 0x04, 0x20] + number)
    #expect(secret.publicKey.numbers == .point(x: x, y: y))
    #expect(key.isSignature(try secret.sign(message, hash: .sha256), of: message, hash: .sha256))
  }
}
