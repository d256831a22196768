import Foundation

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
