// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Plain ERC-20. `init` instead of a constructor, so that a proxy can stand in front of it.
contract Plain {
    string public name;
    string public symbol;
    uint8 public decimals;
    uint256 public totalSupply;
    mapping(address => mapping(address => uint256)) public allowance;
    mapping(address => uint256) internal held;

    event Transfer(address indexed from, address indexed to, uint256 value);

    function init(string calldata itsName, string calldata itsSymbol, uint8 itsDecimals, uint256 supply) external {
        name = itsName;
        symbol = itsSymbol;
        decimals = itsDecimals;
        totalSupply = supply;
        held[msg.sender] = supply;
        emit Transfer(address(0), msg.sender, supply);
    }

    function balanceOf(address holder) public view virtual returns (uint256) {
        return held[holder];
    }

    function transfer(address to, uint256 value) external virtual returns (bool) {
        held[msg.sender] -= value;
        held[to] += value;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Keeps 2 % of each transfer and does not say so in its logs.
contract SilentFee is Plain {
    function transfer(address to, uint256 value) external override returns (bool) {
        uint256 fee = value / 50;
        held[msg.sender] -= value;
        held[to] += value - fee;
        held[address(this)] += fee;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// Keeps 2 % of each transfer, as a transfer of its own.
contract LoggedFee is Plain {
    function transfer(address to, uint256 value) external override returns (bool) {
        uint256 fee = value / 50;
        held[msg.sender] -= value;
        held[to] += value - fee;
        held[address(this)] += fee;
        emit Transfer(msg.sender, address(this), fee);
        emit Transfer(msg.sender, to, value - fee);
        return true;
    }
}

/// Multiplies every balance by `tenths` / 10, without a log.
contract Rebasing is Plain {
    uint256 public tenths = 10;

    function setTenths(uint256 next) external {
        tenths = next;
    }

    function balanceOf(address holder) public view override returns (uint256) {
        return held[holder] * tenths / 10;
    }

    function transfer(address to, uint256 value) external override returns (bool) {
        uint256 shares = value * 10 / tenths;
        held[msg.sender] -= shares;
        held[to] += shares;
        emit Transfer(msg.sender, to, value);
        return true;
    }
}

/// ERC-1967 proxy.
contract Proxy {
    bytes32 private constant SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;

    constructor(address implementation) {
        assembly {
            sstore(SLOT, implementation)
        }
    }

    fallback() external {
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), sload(SLOT), 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

/// NFTs that answer the questions of ERC-20 as well, and none about their interface.
contract MaskedNft {
    string public constant name = "Masks";
    string public constant symbol = "MASK";
    uint8 public constant decimals = 0;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(uint256 => address) public ownerOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);

    function mint(address to) external {
        uint256 id = ++totalSupply;
        ownerOf[id] = to;
        balanceOf[to]++;
        emit Transfer(address(0), to, id);
    }
}

/// NFTs as ERC-721 defines them.
contract Nft is MaskedNft {
    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0x80ac58cd;
    }
}
